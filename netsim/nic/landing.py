"""An adapter's way to memory that all its receive queues share, in a running simulation: frames that arrive as trains
wait for it in the adapter's FIFO, or are dropped there. This is arithmetic; frames are not events."""

from __future__ import annotations

from typing import final


@final
class Landing:
    """A frame takes `service` (ps) of the link to memory, or of the slowest part; up to `room` frames wait for it."""

    def __init__(self, service: int, room: int) -> None:
        self.service = service
        self._room = room
        self._free = 0  # when all frames so far are in memory (ps)
        self._pace = service  # of the last train
        self._frames = 0
        self.dropped = 0

    def take(self, start: int, step: int, frames: int) -> tuple[int, int, int]:
        """Take a train that begins at `start`, with frames `step` apart (ps), after all earlier trains. Returns how
        many frames find room, when the first of these is in memory, and how far apart they are there (ps)."""
        service, behind = self.service, max(0, self._free - start)
        found = min(frames, max(0, self._room - -(-behind // service) + frames * step // service))
        self.dropped += frames - found
        if not found:
            return 0, start, step
        pace = self._pace = max(step, service)
        self._frames += found
        self._free = max(max(self._free, start) + found * service, start + (found - 1) * step + service)
        return found, self._free - (found - 1) * pace, pace

    def hold(self, now: int, time: int) -> None:
        """The other direction's traffic takes the same direction of the slot for `time` (ps), which matters if frames
        wait."""
        if self._free > now:
            self._free += time

    def moved(self, now: int) -> int:
        """The number of frames in memory by `now`."""
        return self._frames - min(self._frames, -(-max(0, self._free - now) // self._pace))
