"""One client alone on its hub: what framing and turn-taking allow, and what collides."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import SegmentSpec
from netsim.stack import NcpRequest
from netsim.stack.ncp_requests import cut
from netsim.units import PS_PER_S
from tests.on_hubs import Exchanges, NcpTest, TcpTest, ask_all

HUB = SegmentSpec.from_name("100base-tx-hub")
NIC, LAN = "etherjet-100/ibmfent", "etherjet-100/e100b-lan"
# Processors so fast that only the wire takes time.
FAST: dict[str, Any] = {"processors.clock": "5 GHz", "processors.port_access": 0, "processors.apic_access": 0,
                        "system.kernel.tick": 0,
                        "memory.read": "10 GB/s", "memory.cached": "10 GB/s", "memory.write": "10 GB/s"}  # fmt: skip
PC = ns.host("netfinity-5500", system="windows-nt-4.0", nics=[NIC]).replace({**FAST, "processors.count": 1})
ACKED = 2  # segments for one acknowledgement


def stream(nbytes: int, pc: ns.Spec = PC) -> tuple[Exchanges, Any]:
    """`nbytes` from the server to its only client, and the run once they have arrived."""
    run = TcpTest(server=pc, client=pc, clients=1).build(Environment(1))
    done = Exchanges(run, 0, [(1, nbytes)])
    while not done.answered:
        run.env.step()
    run.audit()
    return done, run


def test_a_stream_takes_its_turns_with_its_acknowledgements() -> None:
    """A turn is at least two full frames and a small one; the rest of the time is lost to rounds with collisions."""
    nbytes = 2_000_000
    done, run = stream(nbytes)
    (segment,) = run.segments
    size, ack = PC.frame_size(1460), PC.frame_size(0)
    turn = ACKED * HUB.frame_time(size) + HUB.frame_time(ack)
    fastest = ACKED * 1460 * 8 * PS_PER_S / turn
    rate = nbytes * 8 * PS_PER_S / done.answered[0]
    assert 0.85 * fastest < rate < fastest
    assert segment.busy_until(run.env.now) > 0.95 * run.env.now


def test_only_data_and_acknowledgements_collide() -> None:
    """There are no other stations: each round has one signal of each, and no acknowledgement collides forever."""
    _, run = stream(500_000)
    (segment,) = run.segments
    server, client = segment.macs
    assert server.collisions == client.collisions == segment.collisions > 0
    assert segment.frames_lost == 0
    received = run.hosts["client1"].frames_handled
    assert client.frames < 0.6 * received


@pytest.mark.parametrize("size", [64, 1000, 1460])
def test_who_takes_turns_anyway_never_collides(size: int) -> None:
    """A question and an answer of one frame each; acknowledgements travel with the next frame."""
    run = TcpTest(server=PC, client=PC, clients=1).build(Environment(1))
    done = Exchanges(run, 0, [(size, size)] * 50)
    run.env.run(PS_PER_S // 10)
    run.audit()
    (segment,) = run.segments
    assert segment.collisions == segment.deferrals == 0
    assert segment.frames in (100, 101)  # the last answer's acknowledgement comes late
    turn = (done.answered[-1] - done.answered[9]) / 40
    assert turn > 2 * HUB.sending_time(PC.frame_size(size))
    assert turn == pytest.approx(done.answered[20] - done.answered[19], rel=1e-6)


# --- the core protocol -----------------------------------------------------------------------------------------------

SERVER = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN]).replace({**FAST, "processors.count": 1})
NT = ns.netware_host("netfinity-5500", system="csnw-nt-4.0", nics=[NIC]).replace({**FAST, "processors.count": 1})


def reads(nbytes: int, burst: bool) -> tuple[int, int]:
    """ps for a read of `nbytes` that follows another one, and for its frames alone."""
    server = SERVER if burst else SERVER.replace("system.ncp.burst", 0)
    run = NcpTest(server=server, client=NT, clients=1).build(Environment(1))
    times: list[int] = []
    for _ in range(2):
        ask_all(run.workstations[0], [NcpRequest("read", asked=nbytes)], lambda: times.append(run.env.now))
        run.env.run(run.env.now + PS_PER_S // 10)
    run.audit()
    begun = run.env.now - PS_PER_S // 10
    agreed = NT.system.ncp.agreed(server.system.ncp)
    pieces = list(agreed.requests(NcpRequest("read", asked=nbytes)))
    frames = [NT.system.ncp.request_frame()] * len(pieces)
    frames += [server.system.ncp.reply_frame(length) for one in pieces for length in cut(one.asked, agreed.largest)]
    assert run.segments[0].frames == 2 * len(frames)
    return times[1] - begun, sum(HUB.frame_time(size) for size in frames)


@pytest.mark.parametrize("nbytes", [100, 4096, 32_768, 65_536])
def test_no_read_is_faster_than_its_frames(nbytes: int) -> None:
    """Without packet burst each frame has a request of its own; with it frames follow each other at wire speed."""
    alone, wire = reads(nbytes, burst=False)
    burst, fewer = reads(nbytes, burst=True)
    assert alone > wire - HUB.gap
    assert burst > fewer - HUB.gap
    assert burst <= alone
    assert fewer <= wire
    if nbytes > 30_000:
        assert burst < 1.1 * fewer
        assert alone > 1.2 * wire
