"""Transfers of a bus's masters to and from memory, which delay processors. Arithmetic only: no event."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from netsim.bus.list_polls import ListPolls
from netsim.engine import Environment
from netsim.units import PS_PER_S


@final
class MemoryStream:
    """Successive transfers, each spread evenly over its time; the rest of one that was cut counts when the next begins.
    Memory moves `bandwidth` bytes per second. A chipset that is not `concurrent` keeps processors away from it while a
    master has the bus, even for a poll of its list's end (`polls`)."""

    __slots__ = (
        "_bandwidth", "_calendar", "_concurrent", "_last", "_per_byte", "_rest", "_start", "end", "polls", "total",
    )

    def __init__(self, env: Environment, bandwidth: int, concurrent: bool, polls: list[ListPolls]) -> None:
        self._calendar = env.calendar
        self._bandwidth: i64 = bandwidth
        self._concurrent = concurrent
        self.polls = [] if concurrent else polls
        self._per_byte: i64 = PS_PER_S // bandwidth  # ps, and the remainder: no product exceeds an i64
        self._rest: i64 = PS_PER_S % bandwidth
        self._start: i64 = 0  # of the last transfer
        self.end: i64 = 0
        self._last: i64 = 0  # ps of memory for it,
        self.total: i64 = 0  # and for all, up to their ends

    def move(self, nbytes: i64, end: i64) -> None:
        """A transfer of `nbytes` begins, and ends at `end` (ps)."""
        self._start, self.end = self._calendar.now, end
        if self._concurrent:
            self._last = last = nbytes * self._per_byte + nbytes * self._rest // self._bandwidth
        else:
            self._last = last = end - self._start
        self.total += last

    def taken(self, now: i64) -> i64:
        """ps of memory, up to now."""
        total = self.total
        for poll in self.polls:
            total += poll.taken(now)
        rest = self.end - now
        if rest <= 0:
            return total
        spread = int(self.end - self._start)  # not i64: the product below may exceed it
        return total - int(self._last) * int(rest) // spread
