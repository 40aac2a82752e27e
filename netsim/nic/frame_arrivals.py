"""Frames that arrive at constant spacing, from each flow in turn: how many have arrived by a given time, and when.

Nothing is simulated frame by frame. Frame j arrives at j / rate, and the frames of each queue follow by arithmetic,
too: the flows repeat in rounds, and a queue's frames have the same places in each round. All of it is exact in whole
picoseconds.
"""

from __future__ import annotations

from bisect import bisect_left

from netsim.nic.frame_times import FrameTimes
from netsim.units.constants import PS_PER_S


class FrameArrivals(FrameTimes):
    """The arrivals of one queue: in a round of `flows` frames, those at `places` (ascending). All queues together
    receive `rate` frames per second, the first at `start` (ps), and `most` in total if that is not negative."""

    def __init__(self, places: list[int], flows: int, rate: int, start: int, most: int) -> None:
        self._places = places
        self._each = len(places)
        self._flows = flows
        self._rate = rate
        self._start = start
        self._most = -1 if most < 0 else self._among(most)

    def _among(self, frames: int) -> int:
        """The number of this queue's frames among the first `frames` of all queues."""
        return frames // self._flows * self._each + bisect_left(self._places, frames % self._flows)

    def count(self, time: int) -> int:
        """The number of frames that have arrived by `time` (ps), inclusive."""
        if time < self._start or not self._each:
            return 0
        found = self._among(((time - self._start + 1) * self._rate - 1) // PS_PER_S + 1)
        return found if self._most < 0 or found < self._most else self._most

    def time(self, number: int) -> int:
        """When frame `number`, from 0, arrives (ps); -1: never."""
        if not self._each or 0 <= self._most <= number:
            return -1
        frame = number // self._each * self._flows + self._places[number % self._each]
        return self._start + frame * PS_PER_S // self._rate
