"""The wire's end of an adapter that all its transmit queues share, in a running simulation: frames of one size leave it
in sequence. The arrival of each at the other end is arithmetic."""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar


@final
class _Train:
    """The frames with numbers from `first` up to and excluding `last`, without a gap: the first has left at `end`
    (ps)."""

    __slots__ = ("end", "first", "last")

    def __init__(self, first: int, last: int, end: int) -> None:
        self.first = first
        self.last = last
        self.end = end


@final
class TransmitPort:
    """A frame takes `step` (ps) of the wire, or of the slowest part; the first frame leaves at the earliest `latency`
    (ps) after its doorbell, and its last bit arrives `way` (ps) after that. Doorbells come in any order, but none
    before the calendar's time: what has left by then is final, and is forgotten."""

    def __init__(self, calendar: Calendar, step: int, latency: int, way: int) -> None:
        self._calendar = calendar
        self.step = step
        self._latency = latency
        self._way = way
        self._free = 0  # when all frames so far have left (ps)
        self._trains = [_Train(0, 0, step)]

    def put(self, doorbell: int, frames: int) -> int:
        """Send the frames of a doorbell. Returns when the first one arrives (ps)."""
        start = max(self._free, doorbell + self._latency)
        trains, now = self._trains, self._calendar.now
        while len(trains) > 1 and trains[1].end <= now:
            del trains[0]
        if start == self._free:
            trains[-1].last += frames
        else:
            trains.append(_Train(trains[-1].last, trains[-1].last + frames, start + self.step))
        self._free = start + frames * self.step
        return start + self._way

    def hold(self, now: int, time: int) -> None:
        """The other direction's traffic takes the same direction of the slot for `time` (ps), which delays the frames
        that have not left by `now`."""
        if self._free > now:
            self._free += time
            self._delay(now, time)

    def _delay(self, now: int, time: int) -> None:
        trains = self._trains
        number = len(trains)
        while number and trains[number - 1].end > now:
            number -= 1
            trains[number].end += time
        if number:
            one = trains[number - 1]
            left = self._left(one, now)
            if left < one.last:
                trains.insert(number, _Train(left, one.last, one.end + (left - one.first) * self.step + time))
                one.last = left

    @property
    def free(self) -> int:
        """When all frames so far have left it (ps)."""
        return self._free

    def sent(self, now: int) -> int:
        """The number of frames that have left by `now`, which is not before the calendar's time."""
        for train in reversed(self._trains):
            if train.end <= now:
                return self._left(train, now)
        return self._trains[0].first

    def _left(self, train: _Train, now: int) -> int:
        """How many frames have left by `now`, at which some of the train have."""
        return min(train.last, train.first + (now - train.end) // self.step + 1)
