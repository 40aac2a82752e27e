"""An adapter's path to memory, shared by all its receive queues, in a running simulation: frames that arrive in trains
wait for it in the adapter's FIFO, or are dropped there. This is arithmetic; frames are not events."""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar
from netsim.nic.passed_frames import PassedFrames


@final
class Landing:
    """A frame occupies the link to memory, or a slower part, for `service` (ps); up to `room` frames wait for it. A
    frame is in memory at the time that `take` gives for it, even if that is before the last frame of an earlier train;
    anything that delays the link later affects only further trains."""

    def __init__(self, calendar: Calendar, service: int, room: int) -> None:
        self.service = service
        self._room = room
        self._free = 0  # when all frames so far are in memory (ps)
        self._landed = PassedFrames(calendar)
        self.dropped = 0

    def take(self, start: int, step: int, frames: int) -> tuple[int, int, int]:
        """Take a train that begins at `start`, with frames `step` apart (ps), after all earlier trains. Returns how
        many frames find room, when the first of these is in memory, and how far apart they are there (ps)."""
        service, behind = self.service, max(0, self._free - start)
        found = min(frames, max(0, self._room - -(-behind // service) + frames * step // service))
        self.dropped += frames - found
        if not found:
            return 0, start, step
        pace = max(step, service)
        self._free = max(max(self._free, start) + found * service, start + (found - 1) * step + service)
        first = self._free - (found - 1) * pace
        self._landed.add(first, pace, found)
        return found, first, pace

    def hold(self, now: int, time: int) -> None:
        """Traffic of the other direction also uses this direction of the slot, for `time` (ps), which delays further
        trains if frames wait."""
        if self._free > now:
            self._free += time

    def moved(self, now: int) -> int:
        """The number of frames in memory by `now`, which is not before the calendar's time."""
        return self._landed.count(now)
