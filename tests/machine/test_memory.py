"""Memory that adapters and processors share: how long a copy takes beside a stream of transfers."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment
from netsim.machine import Memory, Processor, Work
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.scenario import host
from netsim.units import MS, US
from tests.stack.transfer import TEST

COPY = Work((("protocol", 30 * US), ("copy", 70 * US)), 0, memory=70 * US)


class Machine:
    """A processor that copies all the time, beside an adapter that has the memory for a share of it."""

    def __init__(self, share: float, work: Work = COPY) -> None:
        self.env = env = Environment()
        self.memory = Memory(env, 10**9)  # 1 ns per byte
        self.stream = self.memory.stream()
        self.cpu = Processor(env, Resource("cpu", PROCESSOR), [lambda _: 0], memory=self.memory)
        self.done = 0
        self.bytes = round(share * 1000)
        self.task = Task(PROCESS, lambda: work, self._end)
        self._move(None)
        self.cpu.kick(self.task)

    def _end(self) -> bool:
        self.done += 1
        return True

    def _move(self, _: object) -> None:
        self.env.call_in(1 * US, self._move)
        if self.bytes:
            self.stream.move(self.bytes, self.env.now + 1 * US)


@pytest.mark.parametrize("share", [0, 0.1, 0.3, 0.45, 0.6, 0.9])
def test_copying_takes_as_long_as_predicted(share: float) -> None:
    """M / (1 - r); and no more than twice, as adapters and processors take turns."""
    one = Machine(share)
    one.env.run(100 * MS)
    predicted = 30 * US + 70 * US / (1 - min(share, 0.5))
    assert 100 * MS / one.done == pytest.approx(predicted, rel=0.02)
    accounts = one.cpu.busy()
    assert sum(accounts.values()) == 100 * MS
    assert accounts.get("memory stall", 0) == pytest.approx(one.done * (predicted - COPY.total), rel=0.03)


def test_what_needs_no_memory_is_not_held_up() -> None:
    one = Machine(0.5, Work((("protocol", 100 * US),), 0))
    one.env.run(10 * MS)
    assert one.cpu.busy() == {"protocol": 10 * MS}


def test_who_is_suspended_is_not_held_up_meanwhile() -> None:
    """All that adapters move falls into the time of an interrupt, which copies nothing."""
    one = Machine(0, Work((("copy", 100 * US),), 0, memory=100 * US))
    handler = Task(INTERRUPT, lambda: Work((("interrupt", 10 * US),), 0), lambda: False)
    one.env.call_at(20 * US, one.cpu.kick, handler)
    one.env.call_at(22 * US, lambda _: one.stream.move(8000, 28 * US))
    one.env.run(109 * US)
    assert one.done == 0
    one.env.run(111 * US)
    assert one.done == 1


def test_a_transfer_holds_up_a_work_once() -> None:
    one = Machine(0, Work((("copy", 100 * US),), 0, memory=50 * US))
    # 8 us, half of which fall on the work's time with memory
    one.env.call_at(20 * US, lambda _: one.stream.move(8000, 30 * US))
    one.env.run(103 * US)
    assert one.done == 0
    assert one.cpu.busy() == {"copy": 100 * US, "memory stall": 3 * US}
    one.env.run(205 * US)
    assert one.done == 2  # the next is not held up any more


def test_a_host_says_what_a_copy_needs_of_memory() -> None:
    pc = host("piii-600", system="linux-2.2.16", nics=[])
    memory = pc.memory
    from_memory, from_cache = (pc.bill().copy(1000, source, aligned=False).work() for source in ("memory", "cache"))
    written = memory.copy_time(1000, "cache") - memory.read_time(1000, "cache")
    assert from_memory.memory == memory.copy_time(1000, "memory")
    assert from_cache.memory == written
    assert pc.bill().checksum(1000, "memory").work().memory == memory.read_time(1000, "memory")
    assert pc.bill().checksum(1000, "cache").cycles("protocol", 1000).work().memory == 0


def test_a_transfer_counts_as_far_as_it_has_come() -> None:
    one = Machine(0)
    one.env.call_at(20 * US, lambda _: one.stream.move(8000, 30 * US))
    for now, taken in ((20, 0), (25, 4), (30, 8), (40, 8)):
        one.env.run(now * US + 1)
        assert one.memory.taken() == pytest.approx(taken * US, abs=1000)


def stalled(end: str, bandwidth: str, **changes: Any) -> tuple[float, float]:
    """ps of memory stall of one end per ps of its copying, and ps of memory for its adapter's transfers per ps."""
    test = TEST.replace(f"{end}.memory.bandwidth", bandwidth).replace(changes)
    run = test.build(Environment(1))
    run.start()
    run.env.run(100 * MS)  # type: ignore[attr-defined]
    run.audit()
    accounts = run.accounts()
    busy = accounts.busy[f"{end} processor 0"]
    taken = getattr(run, end).processors[0]._memory.taken()
    return busy.get("memory stall", 0) / busy["copy"], taken / (100 * MS)


def test_copies_are_held_up_by_what_the_adapter_fetches() -> None:
    """A saturated sender copies the next segment while the one before is fetched."""
    slow = {"sender.processors.clock": "100 MHz", "sender.bus.clock": "10 MHz"}
    share, taken = stalled("sender", "100 MB/s", **slow)
    assert 0.5 * taken < share < 2 * taken / (1 - taken)
    assert stalled("sender", "400 MB/s", **slow)[0] < share / 2


def test_copies_are_held_up_by_what_comes_in() -> None:
    """Of a saturated receiver."""
    share, taken = stalled("receiver", "200 MB/s", **{"receiver.processors.clock": "50 MHz"})
    assert 0.3 * taken < share < 2 * taken / (1 - taken)


def test_a_host_that_does_not_know_has_no_stalls() -> None:
    run = TEST.build(Environment(1))
    run.start()
    run.env.run(20 * MS)  # type: ignore[attr-defined]
    assert "memory stall" not in run.accounts().busy["receiver processor 0"]
