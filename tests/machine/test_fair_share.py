"""ksoftirqd and a process on one processor: CFS gives each half of it, in slices."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.machine import Cost, FairShare, ServerCore
from netsim.machine.tally import COPY
from netsim.units import MS, US

POLL = 50 * US


class Softirqs:
    """A thread that always has work to do; it has done `polled` ps of it."""

    def __init__(self, env: Environment, core: ServerCore) -> None:
        self.env, self.core, self.polled, self.longest, self.ended = env, core, 0, 0, 0
        core.thread_wakes(FairShare(24, 4 * MS))
        self.poll(None)

    def poll(self, _: object) -> None:
        self.longest = max(self.longest, self.env.now - self.ended)
        self.core.occupy(POLL)
        self.env.call_in(POLL, self.over)

    def over(self, _: object) -> None:
        self.polled += POLL
        self.ended = self.env.now
        if not self.core.thread_waits(self.env.now, self.poll):
            self.poll(None)


def test_slices_grow_with_processors_up_to_eight() -> None:
    assert [FairShare(count, MS).slice for count in (1, 2, 4, 8, 24)] == [3 * MS, 6 * MS, 9 * MS, 12 * MS, 12 * MS]


def test_both_have_a_half_in_slices_of_a_scheduling_period() -> None:
    env = Environment()
    core = ServerCore(env)
    core.process.add(Cost({COPY: 10_000 * MS}))
    core.run(lambda: None)
    thread = Softirqs(env, core)
    env.run(960 * MS)
    assert abs(thread.polled - 480 * MS) <= 12 * MS
    assert thread.longest == 12 * MS  # a slice is three ticks of 4 ms


def test_a_thread_that_is_alone_goes_on() -> None:
    env = Environment()
    thread = Softirqs(env, ServerCore(env))
    env.run(100 * MS + 1)
    assert thread.polled == 100 * MS
    assert thread.longest == 0


def test_the_thread_is_back_as_soon_as_the_process_sleeps() -> None:
    env, ended = Environment(), list[int]()
    core = ServerCore(env)
    core.process.add(Cost({COPY: 5 * MS}))
    core.run(lambda: ended.append(env.now))
    thread = Softirqs(env, core)
    env.run(100 * MS + 1)
    assert ended == [17 * MS]  # a slice of the thread, and the process's own 5 ms
    assert thread.polled == 95 * MS


def test_a_process_that_slept_for_long_takes_the_processor_from_the_thread() -> None:
    env, ended = Environment(), list[int]()
    core = ServerCore(env)
    Softirqs(env, core)

    def wake(_: object) -> None:
        core.process.add(Cost({COPY: 1 * MS}))
        core.run(lambda: ended.append(env.now))

    env.call_at(50 * MS, wake)
    env.run(100 * MS + 1)
    assert ended == [51 * MS]
