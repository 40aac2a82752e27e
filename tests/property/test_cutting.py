"""Whatever is handed to a card at once, the same bytes arrive, once and in order, whatever is lost in transit."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.ethernet import Frame
from netsim.scenario import host
from netsim.stack.tcp import TcpSegment
from netsim.workload import Netperf
from tests.analytic.test_large_send import CUT
from tests.stack.test_windows_tcp import SYSTEM
from tests.stack.transfer import PC, SECOND, Transfer

SYSTEMS: list[dict[str, Any]] = [{}, {"system.tcp.backlog": False}, SYSTEM]
CARDS: list[dict[str, Any]] = [
    {},
    {"nics.0.tx_frames": 1},
    {"nics.0.tx_fifo": 1600, "nics.0.driver.tx_ring": 2},
    {"nics.0.driver.tx_queue": 1, "nics.0.driver.tx_ring": 1},
    {"nics.0.tx_done": "sent", "nics.0.onboard": {"clock": "50 MHz", "tx_cycles": 3000, "rx_cycles": 0}},
]


@st.composite
def scenarios(draw: st.DrawFn) -> Netperf:
    pc = PC.replace(draw(st.sampled_from(SYSTEMS))).replace("processors.count", draw(st.integers(1, 2)))
    sender = pc.replace(CUT | draw(st.sampled_from(CARDS)))
    sender = sender.replace("nics.0.driver.large_send", draw(st.integers(0, 65_495)))
    mtu = draw(st.sampled_from([300, 576, 1500]))
    return Netperf(test="TCP_STREAM", sender=sender, receiver=pc, mtu=mtu)


def drain(done: Transfer) -> None:
    """Let needless retransmissions arrive as well."""
    done.env.run(done.env.now + SECOND)
    done.run.audit()


@settings(max_examples=60, deadline=None)
@given(
    test=scenarios(),
    nbytes=st.integers(1, 120_000),
    losses=st.sets(st.tuples(st.sampled_from(["data", "ack"]), st.integers(0, 80)), max_size=4),
)
def test_the_same_bytes_arrive(test: Netperf, nbytes: int, losses: set[tuple[str, int]]) -> None:
    """Transfer checks that the bytes arrive in order and once."""
    segment = test.sender.system.tcp.mss(test.mtu)
    frames = 0

    def lost(name: str, number: int, frame: Frame) -> bool:
        nonlocal frames
        assert isinstance(frame, TcpSegment)
        assert frame.length <= segment
        assert frame.size == test.sender.system.tcp.frame_size(frame.length, len(frame.sacked))
        frames += name == "data" and frame.length > 0
        return (name, number) in losses

    done = Transfer(nbytes, lost, test).complete(seconds=2000)
    drain(done)
    dropped = sum(done.run.sender.drivers[0].drops.values())
    if not dropped:
        assert frames == done.run.out.segments_sent
    if not dropped and not losses:
        assert done.run.out.output.retransmitted == 0
        assert frames == -(-nbytes // segment)


@settings(max_examples=20, deadline=None)
@given(large_send=st.integers(0, 65_495), nbytes=st.integers(1, 200_000))
def test_a_bond_sends_them_too(large_send: int, nbytes: int) -> None:
    cut = CUT | {"nics.0.driver.large_send": large_send}
    changes = cut | {name.replace("nics.0", "nics.1"): value for name, value in cut.items()}
    pc = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2).replace("bond", "linux-2.2.17")
    done = Transfer(nbytes, test=Netperf(test="TCP_STREAM", sender=pc.replace(changes), receiver=pc)).complete()
    drain(done)
    there = [link.frames for link in done.run.ledger.links[::2]]
    assert min(there) > 0 or nbytes <= max(large_send, 1448)
    assert sum(there) == done.run.out.segments_sent
