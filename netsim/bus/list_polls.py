"""Polls of a list's end: reads that a master repeats until there is an entry. Arithmetic only: no event."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64


@final
class ListPolls:
    """Reads every `interval` ps, each of which takes `time` ps of the bus. Processors that need the bus wait for them,
    other masters don't: such a read is shorter than most bursts."""

    __slots__ = ("_done", "_from", "_interval", "_time")

    def __init__(self, interval: int, time: int) -> None:
        self._interval: i64 = interval
        self._time: i64 = time
        self._done: i64 = 0  # reads before the list was last at its end
        self._from: i64 = 0  # when it reached its end; -1: it is not there

    def begin(self, now: i64) -> None:
        """The list is at its end from `now` on (ps)."""
        self._from = now

    def end(self, now: i64) -> None:
        """There is an entry `now`."""
        self._done, self._from = self._reads(now), -1

    def _reads(self, now: i64) -> i64:
        if self._from < 0 or now < self._from:
            return self._done
        return self._done + (now - self._from) // self._interval

    def taken(self, now: i64) -> i64:
        """ps of the bus for all reads up to `now`."""
        return self._reads(now) * self._time
