"""Streams under IPsec: as fast as the framing, the engine or the processors allow, with the bottleneck named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.ethernet.frame_sizes import wire_size
from netsim.stack import ComputerSpec, EspSpec
from netsim.stack.tcp import TcpSegment
from netsim.workload.chariot.bounds import least_turnaround
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.analytic.test_chariot import turnarounds
from tests.analytic.test_small_messages import half_round_trip, netpipe
from tests.stack.test_ipsec import CARD, NAME, PLAIN

FAST = {"processors.clock": "20 GHz"} | {f"memory.{way}": "20 GB/s" for way in ("read", "cached", "write")}
ROOMY = {"nics.0.tx_fifo": "64 KiB", "nics.0.tx_frames": 16, "nics.0.rx_fifo": "64 KiB"}
OTHERS = 14 + 20 + 8 + 8 + 12 + 4  # bytes of a frame that are not enciphered
SLOW: dict[str, Any] = {"nics.0.crypto.rate": "30 Mbit/s"}
EACH_SECOND: dict[str, Any] = {"system.tcp.delayed_ack_limit": 0}  # segment is acknowledged


def stream(sender: ComputerSpec, receiver: ComputerSpec, **changes: Any) -> ns.Netperf:
    return ns.Netperf(**{"test": "TCP_STREAM", "sender": sender, "receiver": receiver, "ipsec": NAME, **changes})


def simulated(test: Any) -> ns.Result:
    return ns.simulate(test, precision=0.005, limit="1 s")


# ---- the framing ----


@pytest.mark.parametrize("pc", [CARD.replace(FAST | ROOMY), PLAIN.replace(FAST)], ids=["card", "host"])
@pytest.mark.parametrize(("mode", "mss"), [("transport", 1426), ("tunnel", 1406)])
def test_everything_else_being_fast_the_framing_is_the_limit(pc: ComputerSpec, mode: str, mss: int) -> None:
    """A full frame has 1514 bytes: all but 4 bytes of the mtu are used, so that the enciphered part makes whole
    blocks."""
    test = stream(pc.replace("nics.0.crypto.modes", [mode]), pc, ipsec=EspSpec.from_name(NAME).replace("mode", mode))
    limit = mss / wire_size(14 + 1496 + 4) * 100e6
    assert test.bounds().limit == pytest.approx(limit)
    result = simulated(test)
    assert result.bottleneck == "wire to receiver"
    assert result.throughput == pytest.approx(limit, rel=1e-3)


def test_it_costs_what_the_headers_take() -> None:
    pc = CARD.replace(FAST | ROOMY)
    clear, protected = (simulated(stream(pc, pc, ipsec=ipsec)).throughput for ipsec in (None, NAME))
    assert protected / clear == pytest.approx((1426 / 1534) / (1460 / 1538), rel=1e-3)


# ---- the engine ----


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_an_engine_slower_than_the_wire_is_the_bottleneck_and_named(side: str) -> None:
    """Per segment: 1448 bytes one way, and 24 bytes of acknowledgement the other way for every second segment; the
    acknowledgement delay is not estimated here."""
    hosts = {end: CARD.replace(ROOMY | EACH_SECOND) for end in ("sender", "receiver")}
    test = stream(**(hosts | {side: hosts[side].replace(SLOW)}))
    per_segment = 2e-6 + 1448 * 8 / 30e6 + (2e-6 + 24 * 8 / 30e6) / 2
    closed_form = 1426 * 8 / per_segment
    assert test.bounds().throughput(f"{side} nic 0 crypto engine") == pytest.approx(closed_form)
    result = simulated(test)
    assert result.bottleneck == f"{side} nic 0 crypto engine"
    assert result.bottleneck_share > 0.99
    assert result.throughput == pytest.approx(closed_form, rel=0.005)
    assert result.throughput <= closed_form * 1.001
    assert result.utilisation["wire to receiver"] < 0.4


def test_what_it_takes_for_each_frame_counts_too() -> None:
    pc = CARD.replace(ROOMY | {"nics.0.crypto.packet_time": "400 us", "nics.0.crypto.rate": "10 Gbit/s"})
    result = simulated(stream(pc, CARD.replace(EACH_SECOND), message=44 * 1426))
    assert result.bottleneck == "sender nic 0 crypto engine"
    assert result.throughput == pytest.approx(1426 * 8 / (1.5 * 400e-6), rel=0.01)


def test_both_directions_share_it() -> None:
    """With files in both directions each direction gets half of the engine's rate, and the wires wait."""
    pc = CARD.replace(ROOMY | FAST)
    test = ns.Chariot(
        server=pc.replace({"nics.0.crypto.rate": "60 Mbit/s"}),
        clients=[pc] * 3,
        switch="aceswitch-180",
        flow="bidirectional",
        ipsec=NAME,
    )
    assert test.bounds().bottleneck == "server nic 0 crypto engine"
    result = simulated(test)
    assert result.bottleneck == "server nic 0 crypto engine"
    assert 0.97 * test.bounds().limit < result.throughput <= test.bounds().limit * 1.001


def test_the_host_takes_over_where_the_card_has_no_room() -> None:
    """The card serves two of four clients, and the processor spends its time on the other two."""
    four = {
        room: simulated(
            ns.Chariot(
                server=CARD.replace(ROOMY | {"nics.0.crypto.associations": 2 * room}),
                clients=[CARD.replace(ROOMY)] * 4,
                switch="aceswitch-180",
                flow="download",
                ipsec=NAME,
            )
        )
        for room in (1, 2, 4)
    }
    shares = [one.counts["server IPsec packets by the host"] / one.elapsed for one in four.values()]
    assert shares[0] > shares[1] > shares[2] == 0
    assert all(one.counts["server IPsec packets by the card"] > 0 for one in four.values())
    assert four[1].bottleneck == four[2].bottleneck == "server processor 0"
    assert four[4].throughput > four[2].throughput > four[1].throughput
    assert "crypto" not in four[4].cpu_by_name("server")
    for one in four.values():
        assert one.throughput <= one.scenario.bounds().limit * 1.001


def test_a_bond_spreads_it_over_the_engines_of_all_ports() -> None:
    """Two engines that are slower than their wires do twice as much as one."""
    one = CARD.replace(ROOMY | SLOW | FAST)
    test = stream(*[one.replace({"nics": one.nics * 2, "bond": "linux-2.2.17"})] * 2)
    result = simulated(test)
    assert result.bottleneck.endswith(" crypto engine")
    single = stream(one, one).bounds().limit
    assert test.bounds().limit == pytest.approx(2 * single)
    assert 1.9 * single < result.throughput <= 2.001 * single


# ---- the processor ----


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_in_software_the_processor_is_the_bottleneck(side: str) -> None:
    hosts = {"sender": CARD.replace(ROOMY), "receiver": CARD.replace(ROOMY)}
    test = stream(**(hosts | {side: PLAIN}))
    result = simulated(test)
    assert result.bottleneck == f"{side} processor 0"
    assert 0.8 * test.bounds().limit < result.throughput <= test.bounds().limit * 1.001
    assert max(result.cpu_by_name(side), key=result.cpu_by_name(side).__getitem__) == "crypto"


def test_a_slower_cipher_is_slower() -> None:
    one, other = (simulated(stream(PLAIN, PLAIN, ipsec=f"{name}/hmac-md5-96")) for name in ("3des-cbc", "des-cbc"))
    assert one.throughput < 0.7 * other.throughput


# ---- one transaction at a time ----


@pytest.mark.parametrize("size", [1, 1000, 1400])
@pytest.mark.parametrize("near", [CARD, PLAIN], ids=["card", "host"])
@pytest.mark.parametrize("far", [CARD, PLAIN], ids=["card", "host"])
def test_half_a_round_trip_is_the_sum_of_its_steps(near: ComputerSpec, far: ComputerSpec, size: int) -> None:
    test = netpipe(size, near, far, ipsec=NAME)
    assert half_round_trip(test) == least_half_round_trip(test, size)


def test_the_engines_are_part_of_it() -> None:
    """A message of 1000 bytes is enciphered with 20 of header, 2 of trailer and 2 of padding, at both ends."""
    one, other = (
        half_round_trip(netpipe(1000, *[CARD.replace("nics.0.crypto.packet_time", time)] * 2, ipsec=NAME))
        for time in ("0 us", "50 us")
    )
    assert other - one == 2 * 50 * 10**6
    slow, fast = (
        half_round_trip(netpipe(1000, *[CARD.replace("nics.0.crypto.rate", rate)] * 2, ipsec=NAME))
        for rate in ("100 Mbit/s", "200 Mbit/s")
    )
    assert slow - fast == 2 * 1024 * 8 * 5000


@pytest.mark.parametrize("flow", ["download", "upload"])
@pytest.mark.parametrize("pc", [CARD, PLAIN], ids=["card", "host"])
def test_a_small_files_transaction_is_the_sum_of_its_steps(pc: ComputerSpec, flow: Any) -> None:
    test = ns.Chariot(
        server=pc, clients=[CARD], switch="aceswitch-180", flow=flow, ipsec=NAME, file_size=1000, confirmation=1000
    )
    first, *settled = turnarounds(test, 4)  # in the first, the file's segment is acknowledged separately
    assert first <= settled[0]
    assert set(settled) == {least_turnaround(test, 0, flow)}


# ---- the accounts ----


def noting(frames: list[Frame], lost: Callable[[Frame], bool] | None) -> Callable[[Frame], bool]:
    """Loses the frames that `lost` selects, and notes every frame."""

    def noted(frame: Frame) -> bool:
        frames.append(frame)
        return lost is not None and lost(frame)

    return noted


@pytest.mark.parametrize("loss", [0.0, 1e-6])
def test_a_lossy_wire_breaks_nothing(loss: float) -> None:
    """SACK blocks are enciphered with the rest, and every byte arrives."""
    slow = CARD.replace(ROOMY | {"nics.0.crypto.rate": "50 Mbit/s"})
    test = stream(slow, CARD, link={"model": "100base-tx", "bit_error_rate": loss})
    run: Any = test.build(Environment(3))
    run.start()
    frames: list[Frame] = []
    for link in run.ledger.links:
        link.lost = noting(frames, link.lost)
    for part in range(1, 9):
        run.env.run(part * 5 * 10**10)
        run.audit()
    accounts = run.accounts()
    assert (accounts.counts["retransmitted segments"] > 0) == (loss > 0)
    assert any(frame.sacked for frame in frames if isinstance(frame, TcpSegment)) == (loss > 0)
    for frame in frames:
        assert frame.encipher == frame.decipher == frame.size - OTHERS
    for name, share in accounts.utilisation().items():
        assert 0 <= share <= 1, name
