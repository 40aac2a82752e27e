"""What memory, or the link to it, has yet to move for the masters of one bus. Arithmetic only: no event.

One queue has what they have written and memory has not taken yet, in the chipset's buffer. Another has what they read
while others may have the bus: a master's own wait is part of its transfer's times, but memory serves one after the
other. Only frames and the data of controllers are queued, not descriptors.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from netsim.bus.chipset import ChipsetSpec
from netsim.units import PS_PER_S


@final
class MemoryQueue:
    """Memory moves the bytes in order, one transfer's after another's, at the rate of the chipset. There is `room` (ps
    of memory) for bytes that it has yet to move."""

    __slots__ = ("_busy", "_idle", "_per_byte", "_rate", "_rest", "_room")

    def __init__(self, chipset: ChipsetSpec, room: int = 0) -> None:
        self._room: i64 = room
        self._busy: i64 = 0  # ps, up to `_idle`
        self._rate: i64 = chipset.rate
        self._per_byte: i64 = PS_PER_S // chipset.rate  # ps, and the remainder: no product exceeds an i64
        self._rest: i64 = PS_PER_S % chipset.rate
        self._idle: i64 = 0  # when memory will have moved all bytes so far

    def put(self, nbytes: i64, now: i64) -> i64:
        """A transfer of `nbytes` begins `now` (ps). Returns when memory will have moved all but what there is room for
        (ps)."""
        start = self._idle if self._idle > now else now
        time = nbytes * self._per_byte + nbytes * self._rest // self._rate
        self._busy += time
        self._idle = start + time
        return self._idle - self._room

    def busy_until(self, now: i64) -> i64:
        """ps up to `now` for which memory moved something."""
        return self._busy - (self._idle - now if self._idle > now else 0)
