"""Deadlines that move, and idle times known in advance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mypy_extensions import i64

from netsim.engine.queues import Fifo

if TYPE_CHECKING:
    from netsim.engine.environment import Environment


class Idle:
    """The future times in which a server will be idle, where its customers are known in advance."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: Fifo[tuple[int, int]] = Fifo()

    def add(self, start: i64, end: i64, now: i64) -> None:
        """Add an idle time after all others (ps)."""
        times = self._times
        while times and times[0][1] <= now:
            times.popleft()
        if end > now:
            times.append((start, end))

    def ahead(self, now: i64) -> i64:
        """ps of idle time from `now` on."""
        total: i64 = 0
        for start, end in self._times:
            total += max(0, end - max(start, now))
        return total


class Timer:
    """A deadline that is moved often and rarely reached, such as a retransmission timer.

    Moving it costs an assignment. Only one call is planned; if that comes before the deadline, it plans the next one.
    """

    __slots__ = ("_calendar", "_expired", "_looks", "_planned", "deadline")

    def __init__(self, env: Environment, expired: Callable[[], None]) -> None:
        self._calendar = env.calendar
        self._expired = expired
        self._looks = self._look  # bound once
        self._planned: i64 = -1  # when the call will come; -1: none is planned
        self.deadline: i64 = -1  # ps; -1: not running

    def set(self, deadline: i64) -> None:
        """Expire at `deadline` (ps), replacing any earlier setting."""
        self.deadline = deadline
        if self._planned < 0 or self._planned > deadline:
            self._planned = deadline
            self._calendar.call_at(deadline, self._looks, deadline)

    def cancel(self) -> None:
        """Do not expire."""
        self.deadline = -1

    @property
    def runs(self) -> bool:
        """Whether it will expire."""
        return self.deadline >= 0

    def _look(self, planned: int) -> None:
        if planned != self._planned:
            return  # an earlier call has replaced this one
        self._planned = -1
        if self.deadline < 0:
            return
        if self.deadline > planned:
            self.set(self.deadline)
        else:
            self.deadline = -1
            self._expired()
