"""The deferred work that handles received frames, as in Linux 2.2: its order, and where it breaks off (net_bh)."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.machine import Processor, Task, Work
from netsim.machine.backlog import Backlog, Handler
from netsim.machine.clock import Clock
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS

KERNEL = ns.host("p166", system="linux-2.2.16").system.kernel
TICK = 1000


class Protocol(Handler):
    """Takes 100 ps for each frame."""

    def __init__(self, log: list[tuple[str, int]], env: Environment) -> None:
        self.log, self.env = log, env

    def arriving(self, frame: Frame) -> Work:
        return Work((("protocol", 100),), 0)

    def put(self, frame: Frame) -> None:
        self.log.append(("frame", self.env.now))


class Machine:
    """A processor with a backlog, and a clock if it `ticks`."""

    def __init__(self, ticks: bool = False, **changes: Any) -> None:
        self.env = Environment(1)
        self.cpu = Processor(self.env, Resource("cpu", PROCESSOR, 0), [])
        self.log: list[tuple[str, int]] = []
        clock = Clock(self.env, TICK, Work((("interrupt", 0),), 0), self.cpu, "cpu") if ticks else None
        kernel = KERNEL.replace(changes) if changes else KERNEL
        self.backlog = Backlog(kernel, self.cpu, {None: Protocol(self.log, self.env)}, clock=clock)

    def job(self, name: str, *works: int, level: int) -> Task:
        left = deque(works)

        def end() -> bool:
            left.popleft()
            self.log.append((name, self.env.now))
            return bool(left)

        return Task(level, lambda: Work((("driver", left[0]),), 0) if left else None, end)

    def interrupt(self, frames: int, *queues: Task) -> Task:
        """An interrupt that delivers frames, and makes room for queues."""

        def end() -> bool:
            for _ in range(frames):
                self.backlog.put(Frame(64))
            for queue in queues:
                self.backlog.restart(queue)
            return False

        work = deque([Work((("interrupt", 10),), 0)])
        return Task(INTERRUPT, lambda: work.popleft() if work else None, end)

    def at(self, time: int, task: Task) -> None:
        self.env.call_at(time, self.cpu.kick, task)


def test_queues_go_first_to_their_ends_and_then_all_frames() -> None:
    one = Machine()
    one.at(0, one.interrupt(2, *(one.job(name, 20, 20, level=DEFERRED) for name in "ab")))
    one.env.run(1000)
    assert one.log == [("a", 30), ("a", 50), ("b", 70), ("b", 90), ("frame", 190), ("frame", 290)]


def test_queues_that_get_room_meanwhile_wait_for_the_last_frame() -> None:
    one = Machine()
    one.at(0, one.interrupt(2))
    one.at(50, one.interrupt(1, one.job("a", 20, level=DEFERRED)))
    one.env.run(1000)
    assert one.log == [("frame", 120), ("frame", 220), ("frame", 320), ("a", 340)]


def test_it_breaks_off_at_the_second_tick_and_a_process_has_its_turn() -> None:
    one = Machine(ticks=True)
    one.at(0, one.interrupt(60))
    one.at(5, one.job("process", *[30] * 100, level=PROCESS))
    one.env.run(6000)
    times = [time for name, time in one.log if name == "process"]
    assert 2 <= len(times) <= 4
    assert all(TICK <= later - sooner <= 2 * TICK + 130 for sooner, later in pairwise(times))


def test_without_that_the_process_waits_for_all_frames() -> None:
    one = Machine(ticks=True, pass_ticks=0)
    one.at(0, one.interrupt(50))
    one.at(5, one.job("process", 30, level=PROCESS))
    one.env.run(6000)
    assert one.log[-1] == ("process", 10 + 50 * 100 + 30)


def test_with_nothing_else_to_do_it_goes_on_after_the_next_interrupt() -> None:
    one = Machine(ticks=True)
    one.at(0, one.interrupt(60))
    one.env.run(9000)
    assert len(one.log) == 60
    gaps = [later - sooner for (_, sooner), (_, later) in pairwise(one.log)]
    assert {gap for gap in gaps if gap != 100}
    assert max(gaps) <= TICK + 100
