"""The wire's end of an adapter that all its transmit queues share, in a running simulation: frames of one size leave it
in sequence. The arrival of each at the other end is arithmetic."""

from __future__ import annotations

from typing import final


@final
class TransmitPort:
    """A frame takes `step` (ps) of the wire, or of the slowest part; the first frame leaves at the earliest `latency`
    (ps) after its doorbell, and its last bit arrives `way` (ps) after that."""

    def __init__(self, step: int, latency: int, way: int) -> None:
        self.step = step
        self._latency = latency
        self._way = way
        self._free = 0  # when all frames so far have left (ps)
        self._frames = 0

    def put(self, doorbell: int, frames: int) -> int:
        """Send the frames of a doorbell. Returns when the first one arrives (ps)."""
        start = max(self._free, doorbell + self._latency)
        self._free = start + frames * self.step
        self._frames += frames
        return start + self._way

    def hold(self, now: int, time: int) -> None:
        """The other direction's traffic takes the same direction of the slot for `time` (ps), which matters if frames
        wait."""
        if self._free > now:
            self._free += time

    @property
    def free(self) -> int:
        """When all frames so far have left it (ps)."""
        return self._free

    def sent(self, now: int) -> int:
        """The number of frames that have left by `now`."""
        return self._frames - min(self._frames, -(-max(0, self._free - now) // self.step))
