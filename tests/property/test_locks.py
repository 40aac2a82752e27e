"""Whichever tasks spin for a lock or leave, on any processors, with any interruptions: one at a time holds it, each
gets it in the end, only a spinning task burns time, and no task waits for a free lock."""

from __future__ import annotations

from collections import deque
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine.lock import SPIN, Lock
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.machine.work import Work

CPUS = 3
END = 2500
PS = st.integers(0, 60)
PLACES = st.tuples(st.integers(0, 200), st.integers(0, CPUS - 1))  # time and processor
WORKS = st.lists(PS, min_size=1, max_size=4)
LEVELS = st.sampled_from([DEFERRED, PROCESS])
BOOLS = st.booleans()
LOCKING = LEVELS.flatmap(  # all of one level: a higher one must not spin for a lock held by a task that it suspends
    lambda level: st.lists(st.tuples(PLACES, WORKS, st.just(level), BOOLS, BOOLS), min_size=2, max_size=8)
)
OTHERS = st.lists(st.tuples(PLACES, WORKS, st.sampled_from([INTERRUPT, DEFERRED, PROCESS])), max_size=6)


class Host:
    """Processors with one lock; `inside` are the jobs between the beginning and end of a work that needs the lock."""

    def __init__(self) -> None:
        self.env = Environment()
        shared: Fifo[Task] = Fifo()
        self.cpus = [Processor(self.env, Resource("cpu", PROCESSOR, i), [], shared) for i in range(CPUS)]
        self.lock = Lock(self.env, "lock")
        self.inside: set[Task] = set()
        self.done: dict[Task, int] = {}  # when each was done
        self.tasks: list[Task] = []

    def add(self, place: tuple[int, int], works: list[int], level: int, **locking: Any) -> Task:
        """A job that does its works from a given time on; `locking` are the arguments of Task."""
        time, cpu = place
        todo = deque(works)
        locks = bool(locking)

        def begin() -> Work | None:
            if not todo:
                return None
            if locks:
                assert not self.inside
                assert self.lock.holder is task
                self.inside.add(task)
            return Work((("protocol", todo[0]),), 0)

        def end() -> bool:
            todo.popleft()
            self.inside.discard(task)
            if not todo:
                self.done[task] = self.env.now
            return bool(todo)

        lock = self.lock if locks else None
        task = Task(level, begin, end, lock, **locking)
        self.tasks.append(task)
        self.env.call_at(time, self.cpus[cpu].kick, task)
        return task

    def run(self, until: int = END) -> None:
        """Run to the end, with frequent checks."""
        for now in [*range(1, until, 7), until]:
            self.env.run(until=now)
            self.check(now)

    def check(self, now: int) -> None:
        """`run` stops before the events at `now`: everything before has settled."""
        for cpu in self.cpus:
            assert sum(cpu.busy().values()) + cpu.idle_until_now() == now
        if self.lock.holder is None:
            assert not any(cpu.task is not None and cpu.task.work is SPIN for cpu in self.cpus)
            assert self.leaving(now) == 0

    def leaving(self, now: int) -> int:
        """The number of tasks that have left and wait to be woken."""
        return self.lock.waited_until(now + 1).get("leaves", 0) - self.lock.waited_until(now).get("leaves", 0)

    def spun(self) -> int:
        """ps that all processors together have spun."""
        return sum(cpu.busy().get("spin", 0) for cpu in self.cpus)


def host_with(locking: Any, others: Any, spins: bool | None = None) -> Host:
    """All spin, or all leave, or (None) each does as drawn."""
    host = Host()
    for place, works, level, alone, keeps in locking:
        way = alone if spins is None else spins
        host.add(place, works, level, spins=way, keeps=keeps, name="spins" if way else "leaves")
    for place, works, level in others:
        host.add(place, works, level)
    return host


@settings(max_examples=300, deadline=None)
@given(LOCKING, OTHERS, st.sampled_from([None, False, True]))
def test_one_at_a_time_and_everybody_in_the_end(locking: Any, others: Any, spins: bool | None) -> None:
    host = host_with(locking, others, spins)
    host.run()
    assert host.done.keys() == set(host.tasks)
    assert not any(task.ready for task in host.tasks)
    assert host.lock.holder is None
    assert host.lock.waited_until(END) == host.lock.waited_until(2 * END)
    assert host.lock.held_until(END) >= sum(sum(works) for _, works, *_ in locking)


@settings(max_examples=200, deadline=None)
@given(LOCKING, OTHERS, st.sampled_from([None, False, True]))
def test_only_who_spins_burns_time(locking: Any, others: Any, spins: bool | None) -> None:
    """The time of all works plus the spun time is exactly the time that processors were busy; no task spins for longer
    than it waits."""
    host = host_with(locking, others, spins)
    host.run()
    busy = sum(sum(cpu.busy().values()) for cpu in host.cpus)
    assert busy == sum(sum(works) for _, works, *_ in [*locking, *others]) + host.spun()
    assert host.spun() <= host.lock.waited_until(END).get("spins", 0)


@settings(max_examples=200, deadline=None)
@given(LOCKING)
def test_who_is_not_suspended_spins_for_as_long_as_it_waits(locking: Any) -> None:
    """One job on each processor, never interrupted."""
    first_of_each = {cpu: (time, works, level, keeps) for (time, cpu), works, level, _, keeps in locking}
    host = Host()
    for cpu, (time, works, level, keeps) in first_of_each.items():
        host.add((time, cpu), works, level, spins=True, keeps=keeps, name="spins")
    host.run()
    assert host.spun() == host.lock.waited_until(END).get("spins", 0)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 150), PS), min_size=1, max_size=6), BOOLS, BOOLS, LEVELS)
def test_no_wake_up_is_lost_when_the_holder_is_interrupted(
    interrupts: Any, spins: bool, keeps: bool, level: int
) -> None:
    """The holder keeps the lock longer by the time that interrupts take, and then the waiting task gets it at once."""
    host = Host()
    holder = host.add((0, 0), [100], PROCESS, spins=spins, keeps=keeps, name="holder")
    waiter = host.add((10, 1), [50], level, spins=spins, keeps=keeps, name="spins" if spins else "leaves")
    for time, ps in interrupts:
        host.add((time, 0), [ps], INTERRUPT)
    host.run()
    assert 100 <= host.done[holder] <= 100 + sum(ps for _, ps in interrupts)
    assert host.done[waiter] == host.done[holder] + 50
    assert host.lock.held_until(END) == host.done[waiter]
    assert sum(host.lock.waited_until(END).values()) == host.done[holder] - 10
    assert host.spun() == spins * (host.done[holder] - 10)
