"""What an adapter has written into a node's last-level cache, and how much of it is still there when a process copies
it."""

from __future__ import annotations

from typing import Final, final

STEPS: Final = 16  # of the table, to each time as much as the share of devices holds
ROUNDS: Final = 8  # from which on nothing is left
WHOLE: Final = 1_000_000


@final
class LandedData:
    """`bytes` that came so far, to all streams of a node. `lost` has the share (millionths) that is no more in the
    cache after multiples of `each` bytes more have come."""

    def __init__(self, each: int, lost: list[int]) -> None:
        self.bytes = 0
        self._each = max(1, each)
        self._lost = lost

    def came(self, nbytes: int) -> None:
        """More was written."""
        self.bytes += nbytes

    def since(self, mark: int) -> int:
        """The share (millionths) of what came by that `mark` that is only in memory."""
        return self._lost[min((self.bytes - mark) // self._each, len(self._lost) - 1)]
