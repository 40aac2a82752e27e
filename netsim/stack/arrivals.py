"""When data came in, and when they had passed each place on their way: for a workload that asks where the time goes."""

from __future__ import annotations

from netsim.ethernet import Frame

# Bytes of a frame; ps when it was handed to its driver, when its last bit left, when the other end's driver handed it
# up, and when what it carried was in the socket.
Passed = tuple[int, int, int, int, int]


class Arrivals:
    """What a socket has taken in and no process has asked about, in order."""

    def __init__(self) -> None:
        self._there: list[tuple[int, Passed]] = []

    def note(self, end: int, sent: int, frame: Frame, now: int) -> None:
        """Everything before `end` (bytes, or datagrams) is there since `now`, with a `frame` that was `sent` then."""
        self._there.append((end, (frame.size, sent, frame.last_bit, frame.handed_up, now)))

    def upto(self, end: int) -> Passed:
        """The times of the frame that completed everything before `end`."""
        there = self._there
        while there[0][0] < end:
            del there[0]
        return there[0][1]
