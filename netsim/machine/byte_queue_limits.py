"""Linux's byte queue limits: how many bytes a driver may have in its ring at a time. They keep the ring just full
enough not to run dry between two completions; the rest waits where a queueing discipline can sort it.

Source: Linux 5.4, lib/dynamic_queue_limits.c, dql_completed, and include/linux/dynamic_queue_limits.h: a queue that
went over its limit and then ran empty was starved, and its limit grows by the bytes sent meanwhile; bytes that were
never needed (the lowest slack within a hold time) are subtracted again. net/core/dev.c, netdev_init_one_queue: the hold
time is a second.
"""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import PS_PER_S

_HOLD: Final = PS_PER_S
_NONE: Final = 1 << 60  # no slack seen yet


@final
class ByteQueueLimits:
    """The `limit` (bytes) of one transmit queue; a packet may exceed it, which stops the queue."""

    def __init__(self) -> None:
        self.limit = 0
        self._queued = self._completed = 0  # since the beginning
        self._last = 0  # bytes of the last packet
        self._over = self._queued_before = self._last_before = 0  # at the last completion
        self._slack = _NONE  # bytes: the lowest in this hold time
        self._slack_since = 0  # ps

    @property
    def stopped(self) -> bool:
        """Whether the driver accepts no more packets."""
        return self._queued > self._completed + self.limit

    @property
    def in_ring(self) -> int:
        """Bytes handed over and not yet known to be sent."""
        return self._queued - self._completed

    def queued(self, nbytes: int) -> None:
        """A packet was handed over."""
        self._last = nbytes
        self._queued += nbytes

    def completed(self, nbytes: int, now: int) -> None:
        """The driver has learnt that `nbytes` were sent."""
        completed = self._completed + nbytes
        over = max(0, self.in_ring - self.limit)
        in_progress, all_before = self._queued > completed, completed >= self._queued_before
        limit = self.limit
        if (over and not in_progress) or (self._over and all_before):
            limit += max(0, completed - self._queued_before) + self._over
            self._forget_slack(now)
        elif in_progress and self._queued_before != self._completed and not all_before:
            limit = self._without_slack(nbytes, now)
        if limit != self.limit:
            self.limit, over = limit, 0
        self._over, self._last_before = over, self._last
        self._completed, self._queued_before = completed, self._queued

    def _without_slack(self, nbytes: int, now: int) -> int:
        """The limit of a queue that was busy throughout."""
        last = max(0, self._last_before - self._over) if self._over else 0
        self._slack = min(self._slack, max(0, self.limit + self._over - 2 * nbytes, last))
        if now <= self._slack_since + _HOLD:
            return self.limit
        limit = max(0, self.limit - self._slack)
        self._forget_slack(now)
        return limit

    def _forget_slack(self, now: int) -> None:
        self._slack, self._slack_since = _NONE, now
