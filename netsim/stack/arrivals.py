"""When data arrived and passed each stage on the way, for workloads that report where the time goes."""

from __future__ import annotations

from netsim.ethernet import Frame

# Bytes of a frame, and the times (ps) when the sender handed it to its driver, its last bit left the sender and the
# last switch (without one, the sender again), the receiver's driver handed it up, and its data were in the socket.
Passed = tuple[int, int, int, int, int, int]


class Arrivals:
    """Data that a socket has received, through switches or not (`switched`), and that no process has asked about yet,
    in order."""

    def __init__(self, *, switched: bool) -> None:
        self._switched = switched
        self._there: list[tuple[int, Passed]] = []

    def note(self, end: int, sent: int, frame: Frame, now: int) -> None:
        """Record that `frame`, sent at `sent` (ps), completes everything before `end` (bytes, or datagrams) at `now`
        (ps)."""
        sent_on = frame.sent_on if self._switched else frame.last_bit
        self._there.append((end, (frame.size, sent, frame.last_bit, sent_on, frame.handed_up, now)))

    def upto(self, end: int) -> Passed:
        """The times of the frame that completed everything before `end`."""
        there = self._there
        while there[0][0] < end:
            del there[0]
        return there[0][1]
