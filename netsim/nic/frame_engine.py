"""The part of an adapter that handles frames one after the other, in a running simulation: the next frame has to wait,
but no frame stays longer for it than the adapter's latency."""

from __future__ import annotations

from typing import final


@final
class FrameEngine:
    """It begins frames at least `time` (ps) apart."""

    def __init__(self, time: int) -> None:
        self._time = time
        self._free = 0  # when the next frame can begin (ps)
        self._frames = 0

    def begin(self, now: int) -> int:
        """A frame is there. Returns when it begins (ps)."""
        start = max(self._free, now)
        self._free = start + self._time
        self._frames += 1
        return start

    def busy_until(self, now: int) -> int:
        """The busy time (ps) up to `now`."""
        return self._frames * self._time - max(0, self._free - now)


@final
class QueueEngine:
    """The same for one transmit queue of several, whose frames are sent in trains: however few the other queues send,
    its frames leave at least `time` (ps) apart."""

    def __init__(self, time: int) -> None:
        self._time = time
        self._free = 0  # when the next frame can leave (ps)

    def pace(self, start: int, step: int, frames: int) -> tuple[int, int]:
        """The adapter could send a train from `start` on, with frames `step` apart (ps). Returns when the first one
        leaves, and how far apart they are."""
        if self._time <= step:
            return start, step
        start = max(start, self._free)
        self._free = start + frames * self._time
        return start, self._time
