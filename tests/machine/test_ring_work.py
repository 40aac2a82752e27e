"""Where a driver processes its ring: in the interrupt itself, or in deferred work that the interrupt has queued."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.machine import Work
from netsim.stack import Computer
from netsim.units import US
from netsim.workload import Netperf
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.analytic.test_small_messages import half_round_trip, netpipe
from tests.sink import TimedSink

DEFERRED = {"system.kernel.ring_work": "deferred", "system.kernel.deferred_cycles": 1200}  # 2 us at 600 MHz
QUIET: dict[str, Any] = {
    "system.kernel.cycle_factor": 1, "system.kernel.tick": 0, "system.kernel.cold_cycles": 600,
    "memory.bandwidth": "1000000 GB/s",
}  # fmt: skip
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace(QUIET)


def received(*arrivals: float, **changes: Any) -> tuple[Computer, list[int]]:
    """A computer whose card receives frames at these times (us), and the times when its protocols get them."""
    env = Environment(1)
    computer = Computer(env, PC.replace(changes) if changes else PC, "host")
    computer.handlers["port"] = sink = TimedSink(env)
    for time in arrivals:
        env.call_at(round(time * US), computer.nics[0].receiver.put, Frame(64, "port"))
    env.run(50_000 * US)
    assert len(sink.times) == len(arrivals)
    return computer, sink.times


def test_a_deferred_call_comes_later_by_what_it_costs() -> None:
    (plain, (at_once,)), (deferred, (later,)) = received(1000), received(1000, **DEFERRED)
    assert later - at_once == 2 * US
    busy = [sum(one.processors[0].busy().values()) for one in (plain, deferred)]
    assert busy[1] - busy[0] == 2 * US
    assert [one.drivers[0].interrupts for one in (plain, deferred)] == [1, 1]


@pytest.mark.parametrize("where", [{}, DEFERRED], ids=["in the interrupt", "deferred"])
def test_cold_caches_cost_the_first_frame_of_an_interrupt(where: dict[str, Any]) -> None:
    """Once for the three frames that one interrupt finds, and again for the next interrupt."""
    for arrivals, interrupts in (((1000,), 1), ((1000, 1001, 1002), 1), ((1000, 3000), 2)):
        cold = {"system.kernel.cold_cycles": 1800}  # 3 us at 600 MHz
        (warm, before), (chilled, after) = (
            received(*arrivals, **{"system.kernel.cold_cycles": 0}, **where),
            received(*arrivals, **cold, **where),
        )
        assert [one.drivers[0].interrupts for one in (warm, chilled)] == [interrupts] * 2
        assert after[0] - before[0] == 3 * US
        busy = [sum(one.processors[0].busy().values()) for one in (warm, chilled)]
        assert busy[1] - busy[0] == 3 * US * interrupts


def test_a_work_in_the_way_is_done_between_the_interrupt_and_the_ring() -> None:
    """Deferred work in progress continues after the interrupt, and the ring waits; the interrupt does not."""
    delays = {}
    for name, changes in (("interrupt", {}), ("deferred", DEFERRED)):
        env = Environment(1)
        computer = Computer(env, PC.replace(changes) if changes else PC, "host")
        computer.handlers["port"] = sink = TimedSink(env)
        works = iter([Work((("application", 200 * US),), 0)])
        computer.defer(computer.deferred(lambda works=works: next(works, None), lambda: False))
        env.call_at(20 * US, computer.nics[0].receiver.put, Frame(64, "port"))
        env.run(5000 * US)
        delays[name] = sum(computer.processors[0].busy().values()), sink.times[0]
    assert delays["deferred"][1] > 200 * US
    assert delays["deferred"][0] - delays["interrupt"][0] == 2 * US


def test_until_the_ring_is_empty_there_is_no_other_interrupt() -> None:
    """Frames 3 us apart, which is less than each one's cost: one interrupt, and one deferred call for all of them."""
    arrivals = [1000 + 3 * n for n in range(10)]
    each = {"nics.0.driver.refill": "entry", "nics.0.driver.rx_writes": 0}
    computer, times = received(*arrivals, **DEFERRED, **each)
    assert computer.drivers[0].interrupts == 1
    gaps = {after - before for before, after in pairwise(times)}
    port = PC.replace(each).ports()[0]
    assert gaps == {port.bill_receive(PC.bill(), 60).work().total}


def test_afterwards_there_is() -> None:
    computer, _ = received(1000, 1500, 2000, **DEFERRED)
    assert computer.drivers[0].interrupts == 3


@pytest.mark.parametrize("policy", [{"policy": "none"}, {"policy": "minimum-gap", "gap": "50 us"}])
@pytest.mark.parametrize("test", ["TCP_STREAM", "UDP_STREAM"])
def test_a_stream_gets_through(test: str, policy: dict[str, object]) -> None:
    pc = PC.replace({**DEFERRED, "nics.0.driver.rx_moderation": policy})
    result = ns.simulate(Netperf(test=test, sender=pc, receiver=pc, message=8192), limit="0.1 s")
    plain = ns.simulate(Netperf(test=test, sender=PC, receiver=PC, message=8192), limit="0.1 s")
    assert result.throughput == pytest.approx(plain.throughput, rel=0.01)  # limited by the wire
    assert result.cpu["receiver"] != pytest.approx(plain.cpu["receiver"], rel=0.01)


@pytest.mark.parametrize("size", [1, 1000])
def test_half_a_round_trip_is_longer_by_one_deferred_call(size: int) -> None:
    test = netpipe(size, PC.replace(DEFERRED))
    assert half_round_trip(test) == least_half_round_trip(test, size)
    assert half_round_trip(test) == half_round_trip(netpipe(size, PC)) + 2 * US
