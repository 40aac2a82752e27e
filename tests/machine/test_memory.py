"""Memory shared by adapters and processors: how long a copy takes during a stream of transfers."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus import ListPolls
from netsim.engine import Environment
from netsim.machine import Memory, Processor, Work
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.scenario import host, netware_host
from netsim.units import MS, US
from tests.stack.transfer import PC, TEST

COPY = Work((("protocol", 30 * US), ("copy", 70 * US)), 0, memory=70 * US)


class Machine:
    """A processor that copies all the time, and an adapter that occupies the memory for a share of the time."""

    def __init__(self, share: float, work: Work = COPY, read: int = 10**9, concurrent: bool = True) -> None:
        self.env = env = Environment()
        self.memory = Memory(env, 10**9, read, concurrent)  # 1 ns per byte
        self.polls: list[ListPolls] = []
        self.stream = self.memory.stream(self.polls)
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
    """M / (1 - r), but at most twice, as adapters and processors take turns."""
    one = Machine(share)
    one.env.run(100 * MS)
    predicted = 30 * US + 70 * US / (1 - min(share, 0.5))
    assert 100 * MS / one.done == pytest.approx(predicted, rel=0.02)
    accounts = one.cpu.busy()
    assert sum(accounts.values()) == 100 * MS
    assert accounts.get("memory stall", 0) == pytest.approx(one.done * (predicted - COPY.total), rel=0.03)


@pytest.mark.parametrize(("share", "read"), [(0.1, 0.5), (0.3, 0.5), (0.1, 0.25), (0.3, 2)])
def test_a_processor_that_memory_waits_for_is_held_up_less(share: float, read: float) -> None:
    """It uses memory for part of its memory time. One that asks for more than memory gives does not use more."""
    one = Machine(share, read=int(read * 10**9))
    one.env.run(100 * MS)
    predicted = COPY.total + 70 * US * min(read, 1) * share / (1 - share)
    assert 100 * MS / one.done == pytest.approx(predicted, rel=0.01)


def test_less_than_four_lines_are_waited_for_with_a_later_work() -> None:
    """Half of the 80 ns in each work falls on its memory time; four lines take 128 ns."""
    one = Machine(0, Work((("copy", 1 * US),), 0, memory=US // 2))
    for number in range(8):
        one.env.call_at(number * US + US // 2, lambda _: one.stream.move(80, one.env.now + US // 4))
    one.env.run(4 * US - 1)
    assert "memory stall" not in one.cpu.busy()
    one.env.run(5 * US)
    assert one.cpu.busy() == {"copy": 4.84 * US, "memory stall": 0.16 * US}
    one.env.run(20 * US)
    assert one.cpu.busy()["memory stall"] == 0.32 * US


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_under_a_chipset_that_is_not_concurrent_all_work_stands_still_while_a_master_has_the_bus(share: float) -> None:
    """However few bytes the master moves meanwhile."""
    one = Machine(0, Work((("protocol", 100 * US),), 0), concurrent=False)
    for number in range(100_000):
        one.env.call_at(number * US, lambda _: one.stream.move(4, one.env.now + round(share * US)))
    one.env.run(100 * MS)
    assert 100 * MS / one.done == pytest.approx(100 * US / (1 - share), rel=0.01)
    assert sum(one.cpu.busy().values()) == 100 * MS


@pytest.mark.parametrize("concurrent", [False, True])
def test_reads_of_a_list_s_end_hold_a_processor_up_where_any_master_does(concurrent: bool) -> None:
    """The reads take 400 ns of every 2 us."""
    one = Machine(0, Work((("protocol", 100 * US),), 0), concurrent=concurrent)
    one.polls.append(ListPolls(2 * US, 400_000))
    one.env.run(100 * MS)
    assert 100 * MS / one.done == pytest.approx(100 * US if concurrent else 125 * US, rel=0.01)


def test_what_needs_no_memory_is_not_held_up() -> None:
    one = Machine(0.5, Work((("protocol", 100 * US),), 0))
    one.env.run(10 * MS)
    assert one.cpu.busy() == {"protocol": 10 * MS}


def test_who_is_suspended_is_not_held_up_meanwhile() -> None:
    """All adapter transfers fall into the time of an interrupt, which copies nothing."""
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
    # 8 us, half of which falls on the work's memory time
    one.env.call_at(20 * US, lambda _: one.stream.move(8000, 30 * US))
    one.env.run(103 * US)
    assert one.done == 0
    assert one.cpu.busy() == {"copy": 100 * US, "memory stall": 3 * US}
    one.env.run(205 * US)
    assert one.done == 2  # the next one is not delayed any more


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
    """A saturated sender copies the next segment while the previous one is fetched."""
    slow = {"sender.processors.clock": "100 MHz", "sender.bus.clock": "10 MHz"}
    share, taken = stalled("sender", "100 MB/s", **slow)
    assert 0.5 * taken < share < 2 * taken / (1 - taken)
    assert stalled("sender", "400 MB/s", **slow)[0] < share / 2


def test_copies_are_held_up_by_what_comes_in() -> None:
    """For a saturated receiver: how often a copy coincides with a frame depends on its clock, so several clocks are
    combined."""
    clocks = ({"receiver.processors.clock": f"{mhz} MHz"} for mhz in range(40, 105, 5))
    found = [stalled("receiver", "200 MB/s", **clock) for clock in clocks]
    together = sum(stall for stall, _ in found)
    assert 0.3 * sum(bus for _, bus in found) < together < 2 * sum(bus / (1 - bus) for _, bus in found)


def test_a_host_has_its_chipsets_memory() -> None:
    """The rate that the chipset gives to adapters is what they take away."""
    slow = {"sender.processors.clock": "100 MHz", "sender.bus.clock": "10 MHz"}
    slow["sender.chipset.memory_rate"] = "100 MB/s"
    assert stalled("sender", "none", **slow) == stalled("sender", "100 MB/s", **slow)
    assert stalled("sender", "none", **slow)[0] > 0.05


def test_a_host_without_pci_has_no_stalls() -> None:
    old = netware_host("486dx-33", system="netx-3", nics=["at1500/at1500-odi"])
    assert (old.chipset, old.memory_rate) == (None, None)
    assert PC.chipset is not None
    assert PC.memory_rate == PC.chipset.memory_rate
