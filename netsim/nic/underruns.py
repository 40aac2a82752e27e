"""Underruns: a transmit FIFO that runs dry in mid-frame, because others have the bus, and the threshold that is raised
for it.

The frame arrives all the same: a chip loses it, or sends it again, but the threshold is soon high enough.
"""

from __future__ import annotations

from typing import NamedTuple

from mypy_extensions import i64

from netsim.ethernet import Frame
from netsim.ethernet.frame import PREAMBLE


class Rise(NamedTuple):
    """By what a driver raises a threshold (bytes): by a factor, and then a step, up to the most."""

    factor: int
    step: int
    most: int

    def above(self, threshold: int) -> int:
        """The next one."""
        return max(threshold, min(threshold * self.factor + self.step, self.most))


class Underruns:
    """Of one transmitter, whose `threshold` (bytes) the driver raises."""

    __slots__ = ("_byte_time", "_frame", "_late", "_over", "_rise", "count", "threshold")

    def __init__(self, threshold: int, rise: Rise, byte_time: int) -> None:
        self.threshold: i64 = threshold
        self.count = 0
        self._rise = rise
        self._byte_time: i64 = byte_time  # ps of the wire
        self._frame: Frame | None = None  # that was cut last
        self._late: i64 = 0  # ps by which a chip begins with it behind time, as it was cut before its threshold
        self._over = False  # it has run dry

    def cut(self, frame: Frame, last_bit: i64, resumed: i64, left: i64, fetch: i64) -> bool:
        """A fetch of `fetch` ps in all continues at `resumed`, with `left` ps of it to come; the frame's `last_bit`
        leaves then. Whether the wire has sent by then what had been fetched, for the first time."""
        if self._frame is not frame:
            self._frame, self._late, self._over = frame, 0, False
        size: i64 = frame.size
        rest = size * left // fetch
        lacks = (self.threshold if self.threshold < size else size) - (size - rest)
        if lacks > 0:
            late = resumed + lacks * fetch // size - (last_bit - (PREAMBLE + size) * self._byte_time)
            self._late = late if late > 0 else 0
            return False
        dry = resumed > last_bit + self._late - rest * self._byte_time and not self._over
        self._over = self._over or dry
        return dry

    def rise(self) -> None:
        """The FIFO has run dry: the driver raises the threshold, if it can."""
        self.count += 1
        self.threshold = self._rise.above(self.threshold)
