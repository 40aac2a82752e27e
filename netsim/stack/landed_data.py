"""Data that an adapter has written into a node's last-level cache, and how much of them is still there when a process
copies them."""

from __future__ import annotations

from typing import Final, final

STEPS: Final = 16  # steps of the table for each filling of the devices' share of the cache
ROUNDS: Final = 8  # fillings after which nothing is left
WHOLE: Final = 1_000_000


@final
class LandedData:
    """`bytes` counts the data that have arrived so far, for all streams of a node. `lost` gives the share (millionths)
    of earlier data that has left the cache after each further multiple of `each` bytes."""

    def __init__(self, each: int, lost: list[int]) -> None:
        self.bytes = 0
        self._each = max(1, each)
        self._lost = lost

    def came(self, nbytes: int) -> None:
        """The adapter has written `nbytes` more."""
        self.bytes += nbytes

    def since(self, mark: int) -> int:
        """The share (millionths) of the data received at `mark` that is now only in memory."""
        return self._lost[min((self.bytes - mark) // self._each, len(self._lost) - 1)]


@final
class CopyTime:
    """The time to copy a segment or a datagram: `cached` (ps), and `missing` more if it is only in memory."""

    def __init__(self, cached: int, missing: int) -> None:
        self._cached = cached
        self._missing = missing

    def time(self, lost: int) -> int:
        """The time (ps) if the share `lost` (millionths) of it is only in memory."""
        return self._cached + self._missing * lost // WHOLE
