"""Locks between processors: which tasks spin, which is next, and what an interrupt changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine.lock import Lock
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.machine.work import Work


class Machine:
    """Processors with one lock. `job` makes a task of works (ps) that notes when each is done."""

    def __init__(self, count: int = 2, blocks: bool = False) -> None:
        self.env = Environment()
        shared: Fifo[Task] = Fifo()
        self.cpus = [Processor(self.env, Resource("cpu", PROCESSOR, i), [lambda _: 0], shared) for i in range(count)]
        self.spins = not blocks
        self.lock = Lock(self.env, "lock")
        self.log: list[tuple[str, int]] = []

    def job(self, name: str, *works: int, level: int = PROCESS, locks: bool = True) -> Task:
        left = deque(works)

        def begin() -> Work | None:
            return Work((("protocol", left[0]),), 0) if left else None

        def end() -> bool:
            left.popleft()
            self.log.append((name, self.env.now))
            return bool(left)

        lock = self.lock if locks else None
        return Task(level, begin, end, lock, spins=self.spins, keeps=level == DEFERRED, name=name)

    def at(self, time: int, cpu: int, task: Task) -> None:
        self.env.call_at(time, self.cpus[cpu].kick, task)

    def run(self, until: int = 1000) -> list[tuple[str, int]]:
        for now in range(self.env.now + 1, until + 1):
            self.env.run(until=now)
            for cpu in self.cpus:
                assert sum(cpu.busy().values()) + cpu.idle_until_now() == now
        return self.log


def test_who_comes_second_spins_until_the_first_is_done() -> None:
    one = Machine()
    one.at(0, 0, one.job("a", 100))
    one.at(30, 1, one.job("b", 50))
    assert one.run() == [("a", 100), ("b", 150)]
    assert one.cpus[0].busy() == {"protocol": 100}
    assert one.cpus[1].busy() == {"spin": 70, "protocol": 50}
    assert one.lock.held_until(1000) == 150


def test_it_is_held_for_one_work_at_a_time() -> None:
    one = Machine()
    one.at(0, 0, one.job("a", 100, 100))
    one.at(30, 1, one.job("b", 50, 50))
    assert one.run() == [("a", 100), ("b", 150), ("a", 250), ("b", 300)]


def test_deferred_work_keeps_it_as_long_as_it_has_more() -> None:
    one = Machine()
    one.at(0, 0, one.job("d", 100, 100, level=DEFERRED))
    one.at(30, 1, one.job("p", 50))
    assert one.run() == [("d", 100), ("d", 200), ("p", 250)]
    assert one.cpus[1].busy() == {"spin": 170, "protocol": 50}
    assert one.lock.held_until(1000) == 250
    assert one.lock.holder is None


def test_unless_somebody_of_its_level_waits() -> None:
    one = Machine()
    one.at(0, 0, one.job("d", 100, 100, level=DEFERRED))
    one.at(30, 1, one.job("p", 50))
    one.at(40, 0, one.job("e", 20, level=DEFERRED, locks=False))
    assert one.run() == [("d", 100), ("e", 120), ("p", 150), ("d", 250)]


def test_an_interrupt_in_between_does_not_take_it_away() -> None:
    one = Machine()
    one.at(0, 0, one.job("d", 100, 100, level=DEFERRED))
    one.at(30, 1, one.job("p", 50))
    one.at(60, 0, one.job("i", 10, level=INTERRUPT, locks=False))
    assert one.run() == [("i", 70), ("d", 110), ("d", 210), ("p", 260)]


def test_deferred_work_that_finds_nothing_more_gives_it_back() -> None:
    """It reported that there may be more, but there is not: the lock is freed, and the spinning task gets it."""
    one = Machine()
    works = [100]

    def begin() -> Work | None:
        return Work((("protocol", works.pop()),), 0) if works else None

    task = Task(DEFERRED, begin, lambda: True, one.lock, keeps=True)
    one.at(0, 0, task)
    one.at(30, 1, one.job("p", 50))
    assert one.run() == [("p", 150)]
    assert not task.ready


def test_without_a_lock_nobody_waits() -> None:
    one = Machine()
    one.at(0, 0, one.job("a", 100))
    one.at(30, 1, one.job("b", 50, locks=False))
    assert one.run() == [("b", 80), ("a", 100)]


def test_those_who_spin_get_it_in_turn() -> None:
    one = Machine(3)
    for cpu, name in enumerate("abc"):
        one.at(10 * cpu, 2 - cpu, one.job(name, 100, 100))
    assert [name for name, _ in one.run()] == list("abcabc")


def test_work_is_chosen_when_the_lock_is_there() -> None:
    """The work that existed when the spinning began has been done by another task."""
    one = Machine()
    todo = [100, 100]

    def begin() -> Work | None:
        return Work((("protocol", todo[0]),), 0) if todo else None

    def all_done() -> bool:
        todo.clear()
        return False

    a, b = (Task(PROCESS, begin, all_done, one.lock) for _ in range(2))
    one.at(0, 0, a)
    one.at(10, 1, b)
    one.run(200)
    assert one.cpus[1].busy() == {"spin": 90}
    assert one.lock.holder is None
    assert not b.ready


def test_an_interrupt_suspends_the_holder_who_keeps_it() -> None:
    one = Machine()
    one.at(0, 0, one.job("a", 100))
    one.at(10, 1, one.job("b", 50))
    one.at(20, 0, one.job("i", 30, level=INTERRUPT, locks=False))
    assert one.run() == [("i", 50), ("a", 130), ("b", 180)]
    assert one.cpus[1].busy() == {"spin": 120, "protocol": 50}
    assert one.lock.held_until(1000) == 180


def test_who_is_suspended_while_it_spins_is_passed_over_and_tries_again() -> None:
    one = Machine(3)
    one.at(0, 0, one.job("a", 100))
    one.at(10, 1, one.job("b", 50))
    one.at(20, 2, one.job("c", 50))
    one.at(90, 1, one.job("i", 30, level=INTERRUPT, locks=False))  # until 120
    assert one.run() == [("a", 100), ("i", 120), ("c", 150), ("b", 200)]
    assert one.cpus[1].busy() == {"spin": 80 + 30, "protocol": 30 + 50}


def test_who_is_resumed_takes_a_lock_that_is_free() -> None:
    one = Machine()
    one.at(0, 0, one.job("a", 100))
    one.at(10, 1, one.job("b", 50))
    one.at(90, 1, one.job("i", 30, level=INTERRUPT, locks=False))
    assert one.run() == [("a", 100), ("i", 120), ("b", 170)]
    assert one.lock.held_until(1000) == 150


def test_deferred_work_suspends_who_only_spins() -> None:
    one = Machine()
    one.at(0, 1, one.job("a", 100))
    one.at(10, 0, one.job("b", 50))
    one.at(20, 0, one.job("d", 20, level=DEFERRED))
    assert one.run() == [("a", 100), ("d", 120), ("b", 170)]
    assert one.cpus[0].busy() == {"spin": 90, "protocol": 70}


def test_who_blocks_leaves_its_processor_to_others() -> None:
    one = Machine(blocks=True)
    one.at(0, 0, one.job("a", 100))
    one.at(10, 1, one.job("b", 50))
    one.at(20, 1, one.job("c", 20, locks=False))
    one.at(30, 0, one.job("d", 10, level=DEFERRED, locks=False))  # is not delayed by it
    assert one.run() == [("c", 40), ("d", 40), ("a", 110), ("b", 160)]
    assert sum(cpu.busy().get("spin", 0) for cpu in one.cpus) == 0
    assert sum(cpu.idle_until_now() for cpu in one.cpus) == 2 * 1000 - 180


def test_one_processor_may_have_several_that_block() -> None:
    one = Machine(1, blocks=True)
    tasks: list[Callable[[], Task]] = [lambda name=name: one.job(name, 10, 10) for name in "abc"]  # type: ignore[misc]
    for task in tasks:
        one.at(5, 0, task())
    done = one.run(100)
    assert sorted(name for name, _ in done) == list("aabbcc")
    assert done[-1][1] == 65
