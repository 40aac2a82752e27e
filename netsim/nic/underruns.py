"""Underruns: a transmit FIFO runs dry in mid-frame, because others have the bus, and the driver raises the threshold.

Here the frame arrives nevertheless: a real chip loses it or sends it again, but the threshold is soon high enough.
"""

from __future__ import annotations

from typing import NamedTuple

from mypy_extensions import i64

from netsim.ethernet import Frame
from netsim.ethernet.frame import PREAMBLE


class Rise(NamedTuple):
    """How a driver raises a threshold (bytes): by a factor, and then by a step, up to a maximum."""

    factor: int
    step: int
    most: int

    def above(self, threshold: int) -> int:
        """The next threshold."""
        return max(threshold, min(threshold * self.factor + self.step, self.most))


class Underruns:
    """The underruns of one transmitter, whose `threshold` (bytes) the driver raises."""

    __slots__ = ("_byte_time", "_frame", "_late", "_over", "_rise", "count", "threshold")

    def __init__(self, threshold: int, rise: Rise, byte_time: int) -> None:
        self.threshold: i64 = threshold
        self.count = 0
        self._rise = rise
        self._byte_time: i64 = byte_time  # ps of the wire
        self._frame: Frame | None = None  # the last frame cut
        self._late: i64 = 0  # ps by which the chip begins it late, as it was cut before its threshold
        self._over = False  # it has run dry

    def cut(self, frame: Frame, last_bit: i64, resumed: i64, left: i64, fetch: i64) -> bool:
        """A fetch of `fetch` ps in total continues at `resumed`, with `left` ps left; the frame's last bit leaves at
        `last_bit`. Returns whether the wire has then sent all bytes fetched so far, for the first time in this
        frame."""
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
