"""What memory, or the link to it, has yet to move for the masters of one bus. Arithmetic only: no event.

One queue has what they have written and memory has not taken yet, in the chipset's buffer; another what they read while
others may have the bus: each master's wait is computed as if it were alone, but memory serves one after the other.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from netsim.bus.chipset import ChipsetSpec
from netsim.units import PS_PER_S


@final
class MemoryQueue:
    """Memory moves the bytes in order, one transfer's after another's, at the rate of the chipset."""

    __slots__ = ("_idle", "_per_byte", "_rate", "_rest")

    def __init__(self, chipset: ChipsetSpec) -> None:
        self._rate: i64 = chipset.rate
        self._per_byte: i64 = PS_PER_S // chipset.rate  # ps, and the remainder: no product exceeds an i64
        self._rest: i64 = PS_PER_S % chipset.rate
        self._idle: i64 = 0  # when memory will have moved all bytes so far

    def put(self, nbytes: i64, now: i64) -> i64:
        """A transfer of `nbytes` begins `now` (ps). Returns when memory will have moved them (ps)."""
        start = self._idle if self._idle > now else now
        self._idle = start + nbytes * self._per_byte + nbytes * self._rest // self._rate
        return self._idle
