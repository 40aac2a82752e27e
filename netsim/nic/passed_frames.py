"""Counts of frames that pass a point of an adapter at times known in advance. Frames are not events."""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar


@final
class _Train:
    """`frames` frames without a gap: the first passes at `start` (ps), each further one `step` (ps) later."""

    __slots__ = ("frames", "start", "step")

    def __init__(self, start: int, step: int, frames: int) -> None:
        self.start = start
        self.step = step
        self.frames = frames

    @property
    def end(self) -> int:
        """When the frame after the last one would pass (ps)."""
        return self.start + self.frames * self.step

    def count(self, now: int) -> int:
        """How many have passed by `now`."""
        return 0 if now < self.start else min(self.frames, (now - self.start) // self.step + 1)


@final
class PassedFrames:
    """Each frame counts once its own time has come, even if trains overlap in time. Frames that have passed by the
    calendar's time are final, and their trains are forgotten."""

    def __init__(self, calendar: Calendar) -> None:
        self._calendar = calendar
        self._forgotten = 0  # frames
        self._trains: list[_Train] = []

    def add(self, start: int, step: int, frames: int) -> None:
        """Add a train, which does not begin before the calendar's time."""
        trains, now = self._trains, self._calendar.now
        while trains and trains[0].end - trains[0].step <= now:
            self._forgotten += trains.pop(0).frames
        if trains and trains[-1].step == step and trains[-1].end == start:
            trains[-1].frames += frames
        else:
            trains.append(_Train(start, step, frames))

    def delay(self, now: int, time: int) -> None:
        """Frames that have not passed by `now` pass `time` (ps) later. Only for trains that don't overlap."""
        number = len(self._trains)
        while number and self._trains[number - 1].start > now:
            number -= 1
            self._trains[number].start += time
        if number:
            self._split(number, now, time)

    def _split(self, number: int, now: int, time: int) -> None:
        """Split the train before this `number`: its frames that have not passed become a train of their own."""
        train = self._trains[number - 1]
        passed = train.count(now)
        if passed < train.frames:
            start = train.start + passed * train.step + time
            self._trains.insert(number, _Train(start, train.step, train.frames - passed))
            train.frames = passed

    def count(self, now: int) -> int:
        """The number of frames that have passed by `now`, which is not before the calendar's time."""
        return self._forgotten + sum([train.count(now) for train in self._trains])
