"""The wire end of an adapter, shared by all its transmit queues, in a running simulation: frames of one size leave it
in sequence. The arrival of each at the other end is arithmetic."""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar
from netsim.nic.passed_frames import PassedFrames


@final
class TransmitPort:
    """A frame occupies the wire, or a slower part, for `step` (ps); the first frame leaves `latency` (ps) after its
    doorbell at the earliest, and its last bit arrives `way` (ps) after that. Doorbells may be in any order, but not
    before the calendar's time."""

    def __init__(self, calendar: Calendar, step: int, latency: int, way: int) -> None:
        self.step = step
        self._latency = latency
        self._way = way
        self._free = 0  # when all frames so far have left (ps)
        self._left = PassedFrames(calendar)

    def put(self, doorbell: int, frames: int) -> int:
        """Send the frames of a doorbell. Returns when the first one arrives (ps)."""
        start = max(self._free, doorbell + self._latency)
        self._left.add(start + self.step, self.step, frames)
        self._free = start + frames * self.step
        return start + self._way

    def hold(self, now: int, time: int) -> None:
        """Traffic of the other direction also uses this direction of the slot, for `time` (ps), which delays the frames
        that have not left by `now`."""
        if self._free > now:
            self._free += time
            self._left.delay(now, time)

    @property
    def free(self) -> int:
        """When all frames so far have left it (ps)."""
        return self._free

    def sent(self, now: int) -> int:
        """The number of frames that have left by `now`, which is not before the calendar's time."""
        return self._left.count(now)
