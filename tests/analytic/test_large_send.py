"""Large send: the processor's work falls as more is handed over at once, the wire carries the same frames, and the
closed form is never beaten, and is met where one resource saturates and the windows are open."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.workload import Netperf

CUT = {"nics.0.tx_segmentation": True, "nics.0.tx_checksum": True, "nics.0.driver.tx_checksum": "nic"}
# Every second segment is acknowledged, as in the closed form then; with an estimated delay, at least every third one.
EACH_SECOND = {"system.tcp.delayed_ack_limit": 0}
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace(CUT | EACH_SECOND)
MSS = 1448
# A sender with expensive protocols and free interrupts: acknowledgements arrive in them, and at once.
BUSY: dict[str, Any] = {
    "processors.clock": "60 MHz",
    "processors.port_access": "0 s",
    "system.tcp.tx_cycles": 20_000,
    "system.tcp.backlog": False,
    "system.kernel.tick": 0,
    "system.kernel.interrupt_cycles": 0,
    "system.kernel.cold_cycles": 0,
    "system.kernel.wake_up_cycles": 0,
    "nics.0.driver.interrupt_cycles": 0,
    "nics.0.driver.interrupt_reads": 0,
    "nics.0.driver.interrupt_writes": 0,
    "nics.0.driver.exit_reads": 0,
    "nics.0.driver.exit_writes": 0,
}


def scenario(large_send: int, **changes: Any) -> Netperf:
    sender = PC.replace(changes).replace("nics.0.driver.large_send", large_send)
    return Netperf(test="TCP_STREAM", sender=sender, receiver=PC, message=40 * MSS)


@cache
def simulated(large_send: int, busy: bool = False) -> ns.Result:
    test = scenario(large_send, **(BUSY if busy else {}))
    return ns.simulate(test.replace("max_iterations", 2), precision=0.005, limit="0.4 s")


def test_less_than_two_segments_change_nothing() -> None:
    found = []
    for large_send in (0, 1000, 2 * MSS - 1):
        run = scenario(large_send).build(Environment(seed=1))
        run.start()
        run.env.run(until=10**11)
        found.append(run.accounts())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("large_send", [4000, 16_000, 64_000])
def test_on_a_full_wire_only_the_sender_gains(large_send: int) -> None:
    plain, large = simulated(0), simulated(large_send)
    assert large.throughput == pytest.approx(plain.throughput, rel=1e-3)
    assert large.utilisation["wire to receiver"] == pytest.approx(plain.utilisation["wire to receiver"], rel=1e-3)
    assert large.utilisation["sender processor 0"] < 0.9 * plain.utilisation["sender processor 0"]
    assert large.utilisation["sender bus"] < plain.utilisation["sender bus"]
    receiver = "receiver processor 0"
    assert large.utilisation[receiver] == pytest.approx(plain.utilisation[receiver], rel=0.01)


def test_the_wire_carries_the_same_frames() -> None:
    """For a given number of bytes: as many frames, of the same sizes and in the same order."""
    sizes = {large_send: frames(large_send) for large_send in (0, 4000, 64_000)}
    assert len(sizes[0]) == 139  # 138 full segments, and the rest of 200,000 bytes
    assert sizes[0] == sizes[4000] == sizes[64_000]


def frames(large_send: int) -> list[int]:
    """Sizes of the frames that carry 200,000 bytes."""
    run = scenario(large_send).build(Environment(seed=1))
    link = run.ledger.links[0]  # type: ignore[attr-defined]
    sizes: list[int] = []
    link.lost = lambda frame: bool(sizes.append(frame.size))  # always false
    run.into.receive(10**9, lambda nbytes: None)  # type: ignore[attr-defined]
    run.out.send(200_000, lambda: None)  # type: ignore[attr-defined]
    run._receive(0)  # type: ignore[attr-defined]
    run.env.run(until=10**12)
    return sizes


def test_a_saturated_sender_sends_more_at_once_and_so_more() -> None:
    rates = [simulated(large_send, busy=True).throughput for large_send in (0, 4000, 8000)]
    assert all(more > 1.5 * less for less, more in pairwise(rates))


@pytest.mark.parametrize("large_send", [0, 4000, 8000])
def test_the_bound_is_met_in_a_saturated_sender(large_send: int) -> None:
    bounds = scenario(large_send, **BUSY).bounds()
    assert bounds.bottleneck == "sender processors"
    found = simulated(large_send, busy=True)
    assert found.bottleneck == "sender processor 0"
    assert 0.98 * bounds.limit < found.throughput <= bounds.limit * 1.0005


def test_the_bound_is_met_on_a_slow_bus() -> None:
    """With two segments at once: where the windows are full, the acknowledgement of two releases no more."""
    slow = {"processors.clock": "1 GHz", "bus.clock": "1.5 MHz", "bus.latency_timer": 255}
    test = scenario(2 * MSS, **{**BUSY, **slow})
    bounds = test.bounds()
    assert bounds.bottleneck == "sender bus"
    found = ns.simulate(test.replace("max_iterations", 2), precision=0.005, limit="0.4 s")
    assert 0.97 * bounds.limit < found.throughput <= bounds.limit * 1.0005
