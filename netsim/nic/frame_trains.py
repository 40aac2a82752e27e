"""Frames that arrive in trains: those of one segmented packet follow each other at the wire's rate. Frames are not
events."""

from __future__ import annotations

from typing import final

from netsim.engine import Fifo
from netsim.nic.frame_times import FrameTimes


@final
class FrameTrain:
    """Frames from `first` up to and excluding `last`: the first one arrives at `start` (ps), each further one `step`
    (ps) later. They carry the segments from `segment` on."""

    __slots__ = ("first", "last", "segment", "start", "step")

    def __init__(self, first: int, last: int, start: int, step: int, segment: int) -> None:
        self.first = first
        self.last = last
        self.start = start
        self.step = step
        self.segment = segment


@final
class FrameTrains(FrameTimes):
    """The trains of one queue, in the order of their times."""

    def __init__(self) -> None:
        self._trains: Fifo[FrameTrain] = Fifo()
        self._frames = 0  # of all trains
        self._taken = 0  # number of the next frame for `take`

    def put(self, start: int, step: int, frames: int, segment: int) -> None:
        """Add a train after all others."""
        self._trains.append(FrameTrain(self._frames, self._frames + frames, start, step, segment))
        self._frames += frames

    def count(self, time: int) -> int:
        """See FrameTimes."""
        for number in range(len(self._trains) - 1, -1, -1):
            train = self._trains[number]
            if time >= train.start:
                return min(train.last, train.first + (time - train.start) // train.step + 1)
        return self._trains[0].first if self._trains else self._frames

    def time(self, number: int) -> int:
        """See FrameTimes."""
        for index in range(len(self._trains)):
            train = self._trains[index]
            if number < train.last:
                return train.start + (number - train.first) * train.step
        return -1

    def take(self, frames: int, lost: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The segments of the next `frames` frames, skipping the `lost` ranges (each is removed once passed): the first
        segment of each consecutive run, and the run's length."""
        found: list[tuple[int, int]] = []
        while frames:
            self._skip(lost)
            train = self._trains[0]
            end = min(train.last, self._taken + frames, lost[0][0] if lost else train.last)
            found.append((train.segment + self._taken - train.first, end - self._taken))
            frames -= end - self._taken
            self._taken = end
            self._forget()
        return found

    def _skip(self, lost: list[tuple[int, int]]) -> None:
        while lost and lost[0][0] <= self._taken:
            self._taken = max(self._taken, lost.pop(0)[1])
        self._forget()

    def _forget(self) -> None:
        """Forget finished trains, except for the last one: a queue asks for the arrival of the frame that it has just
        taken."""
        while len(self._trains) > 1 and self._trains[0].last <= self._taken:
            self._trains.popleft()
