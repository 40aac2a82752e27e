"""A processor of a server in a running simulation: softirqs go ahead of the process on it, which continues where it
was. """

from __future__ import annotations

from collections.abc import Callable
from typing import final

from netsim.engine import Environment
from netsim.machine.tally import CycleTally


@final
class ServerCore:
    """`process` and `softirq` are what either is about to spend; what was spent is in `spent` once it is over."""

    def __init__(self, env: Environment) -> None:
        self._calendar = env.calendar
        self._ended = self._process_ended  # bound once
        self.process = CycleTally()
        self.softirq = CycleTally()
        self.spent = CycleTally()
        self._running = CycleTally()  # what the process is about
        self._then: Callable[[], None] | None = None
        self._end = 0  # of that, as it stands (ps)
        self._softirq_end = 0

    @property
    def idle(self) -> bool:
        """Whether it does nothing."""
        return self._then is None and self._softirq_end <= self._calendar.now

    def occupy(self, time: int) -> None:
        """A softirq takes it for some time more: at once, or behind the one that does."""
        now = self._calendar.now
        self._softirq_end = max(now, self._softirq_end) + time
        if self._then is not None:
            self._end += time

    def softirq_over(self) -> None:
        """What `softirq` has was spent."""
        self.softirq.move_to(self.spent)

    def run(self, then: Callable[[], None]) -> None:
        """The process, which does nothing yet, does what `process` has, and then calls `then`."""
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
