"""When data arrived, and when they passed each stage on their way: for a workload that reports where the time goes."""

from __future__ import annotations

from netsim.ethernet import Frame

# Bytes of a frame; ps when the sender handed it to its driver, when its last bit left, when the receiver's driver
# handed it up, and when its data were in the socket.
Passed = tuple[int, int, int, int, int]


class Arrivals:
    """Data that a socket has received and that no process has asked about yet, in order."""

    def __init__(self) -> None:
        self._there: list[tuple[int, Passed]] = []

    def note(self, end: int, sent: int, frame: Frame, now: int) -> None:
        """Everything before `end` (bytes, or datagrams) has arrived by `now` (ps), with a `frame` that was `sent` at
        that time (ps)."""
        self._there.append((end, (frame.size, sent, frame.last_bit, frame.handed_up, now)))

    def upto(self, end: int) -> Passed:
        """The times of the frame that completed everything before `end`."""
        there = self._there
        while there[0][0] < end:
            del there[0]
        return there[0][1]
