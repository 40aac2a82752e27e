"""A processor of a server in a running simulation: softirqs preempt the process on it, which continues afterwards. Once
they are left to a thread (ksoftirqd), the thread and the process share the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from netsim.engine import Environment
from netsim.engine.queues import Planned
from netsim.machine.fair_share import FairShare
from netsim.machine.tally import CycleTally


@final
class ServerCore:
    """`process` and `softirq` have the time that each is about to spend; `spent` has it once it is over."""

    def __init__(self, env: Environment) -> None:
        self._calendar = env.calendar
        self._ended, self._turns = self._process_ended, self._turn  # bound once
        self.process = CycleTally()
        self.softirq = CycleTally()
        self.spent = CycleTally()
        self._running = CycleTally()  # the process's current work
        self._then: Callable[[], None] | None = None
        self._end = 0  # current end of that work (ps)
        self._softirq_end = 0
        self.resched = False  # the current softirq has woken the process
        self._share: FairShare | None = None  # while the thread is awake
        self._waits: Callable[[object], None] | None = None  # while the thread waits
        self._back: Planned | None = None  # the thread's turn

    @property
    def idle(self) -> bool:
        """Whether the core is idle."""
        return self._then is None and self._softirq_end <= self._calendar.now

    @property
    def rests(self) -> bool:
        """Whether the core is idle, and no softirq has ended just now: one that has ended is followed by the process
        that it has woken, with nothing in between."""
        return self._then is None and self._softirq_end < self._calendar.now

    def occupy(self, time: int) -> None:
        """A softirq takes the core for this additional `time`: at once, or after the current one."""
        now = self._calendar.now
        self._softirq_end = max(now, self._softirq_end) + time
        if self._then is not None:
            self._end += time

    def softirq_over(self) -> None:
        """The time in `softirq` has been spent."""
        self.softirq.move_to(self.spent)

    def run(self, then: Callable[[], None]) -> None:
        """The process, idle until now, does the work in `process`, and then calls `then`."""
        if self._share is not None and self._waits is None:
            self._share.process_wakes(self._calendar.now)
        self.process.move_to(self._running)
        self._then = then
        self._end = max(self._calendar.now, self._softirq_end) + self._running.total
        self._calendar.call_at(self._end, self._ended, None)

    def _process_ended(self, _: object) -> None:
        if self._calendar.now < self._end:
            self._calendar.call_at(self._end, self._ended, None)
            return
        self._running.move_to(self.spent)
        then, self._then = self._then, None
        assert then is not None
        then()
        if self._waits is not None and self._then is None:
            self._thread_back()

    # --- ksoftirqd ----------------------------------------------------------------------------------------------------

    def thread_wakes(self, share: FairShare) -> None:
        """Softirqs are left to the thread."""
        share.thread_wakes(self._calendar.now)
        self._share = share

    def thread_waits(self, now: int, goes: Callable[[object], None]) -> bool:
        """Whether it is the process's turn; if it is, `goes` is called at the thread's turn."""
        share = self._share
        assert share is not None
        if share.thread_goes_on(now, self._then is not None):
            return False
        self._waits = goes
        self._back = self._calendar.call_at(share.thread_back(), self._turns, None)
        return True

    def _turn(self, _: object) -> None:
        self._back = None
        self._thread_back()

    def _thread_back(self) -> None:
        goes, self._waits = self._waits, None
        if self._back is not None:
            self._calendar.cancel(self._back)
            self._back = None
        assert self._share is not None
        assert goes is not None
        self._share.thread_resumes(self._calendar.now)
        goes(None)

    def thread_sleeps(self) -> None:
        """The thread has nothing left to do."""
        self._share = None
