"""Any tasks on two processors with a lock: the accounts are exact at any time, the lock has one holder, and no task
waits forever, whether tasks that find it taken spin or leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine.lock import Lock
from netsim.machine.memory import Memory
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.machine.work import Work

END = 3000
TIMES = st.integers(0, 200)
WORKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2), st.booleans()), min_size=1, max_size=4)
LEVELS = st.sampled_from([(INTERRUPT, 0), (DEFERRED, 0), (DEFERRED, 1), (PROCESS, 0)])  # and whether it locks
JOBS = st.lists(st.tuples(TIMES, st.integers(0, 1), LEVELS, st.booleans(), WORKS), min_size=1, max_size=8)


class Job:
    """A task that does its works, each with a number of ps and accesses, and with or without memory."""

    def __init__(self, level: int, lock: Lock | None, spins: bool, works: list[tuple[int, int, bool]]) -> None:
        self.todo = [
            Work((("driver", ps // 3), ("copy", ps - ps // 3)), accesses, memory=(ps - ps // 3) * memory)
            for ps, accesses, memory in works
        ]
        self.task = Task(level, self._begin, self._end, lock, spins=spins, keeps=level == DEFERRED)

    def _begin(self) -> Work | None:
        self._check()
        return self.todo[0] if self.todo else None

    def _end(self) -> bool:
        self._check()
        del self.todo[0]
        return bool(self.todo)

    def _check(self) -> None:
        assert self.task.lock is None or self.task.lock.holder is self.task


@settings(max_examples=300, deadline=None)
@given(JOBS, st.booleans(), st.lists(st.tuples(TIMES, st.integers(1, 20)), max_size=20))
def test_books_are_exact_and_nobody_starves(jobs: Any, nested: bool, moves: Any) -> None:
    env = Environment()
    shared: Fifo[Task] = Fifo()
    memory = Memory(env, 10**12, 10**12)  # moves a byte in 1 ps
    stream = memory.stream([])
    names = [Resource("cpu", PROCESSOR, i) for i in range(2)]
    cpus = [Processor(env, name, [lambda taken: 2 * taken], shared, nested, memory) for name in names]

    def wake(task: Task) -> None:
        next((cpu for cpu in cpus if cpu.task is None), cpus[0]).kick(task)

    lock = Lock(env, "lock")
    made = []
    for start, number, (level, locks), spins, works in jobs:
        job = Job(level, lock if locks else None, spins, works)
        made.append(job)
        kick: Callable[[Task], None] = wake if level == PROCESS else cpus[number].kick
        env.call_at(start, kick, job.task)
    for time, nbytes in moves:
        env.call_at(time, lambda _, nbytes=nbytes: stream.move(nbytes, env.now + 25))
    for now in range(0, END, 7):
        env.run(until=now)
        for cpu in cpus:
            accounts = cpu.busy()
            assert sum(accounts.values()) + cpu.idle_until_now() == now
            assert all(ps > 0 for ps in accounts.values())
    assert all(not job.todo and not job.task.ready for job in made)
    assert lock.holder is None
    assert lock.held_until(END) <= sum(sum(cpu.busy().values()) for cpu in cpus)
