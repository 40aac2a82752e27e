"""Which segments of a stream are lost and sent again, inferred from what has arrived (RFC 2018, 6675, 8985).

A segment is lost once anything sent after it has arrived, whether they were sent for the first time or again, as for
RACK (Linux 5.4, net/ipv4/tcp_recovery.c). Frames of one connection keep their order, so RACK's allowance for reordering
is left out. So is its doubt whether a segment that was sent again arrives too soon and is the original, as after a
needless timeout. An acknowledgement reports everything beyond the hole, not only three blocks; the window shrinks at
once, without proportional rate reduction. Pure state; nothing here takes time.
"""

from __future__ import annotations

from typing import final

from netsim.stack.scoreboard import Ranges

Again = tuple[int, int, int]  # segments sent again, and snd_nxt at that time


@final
class StreamRecovery:
    """A recovery, `under_way` until everything before `point` (segments) is acknowledged."""

    def __init__(self) -> None:
        self.under_way = False
        self.point = 0
        self._timeout = False  # everything that has not arrived counts as lost
        self._sacked: Ranges = []
        self._passed = 0  # first sent before something that has arrived: all segments before this one
        self._again: list[Again] = []  # in order of sending

    def learn(self, sacked: tuple[tuple[int, int], ...], snd_una: int) -> None:
        """An acknowledgement reports what has arrived."""
        self._sacked = list(sacked)
        self._passed = max(self._passed, sacked[-1][1] if sacked else snd_una)
        if self._again:
            self._again = self._on_the_way(snd_una)
        if self.under_way and snd_una >= self.point:
            self.under_way = self._timeout = False

    def _on_the_way(self, snd_una: int) -> list[Again]:
        """The segments sent again after everything that has arrived."""
        latest: list[Again] = []
        for first, last, snd_nxt in reversed(self._again):
            if snd_nxt < self._passed:
                break
            end = self._arrived(first, last, snd_una)
            if end < last:
                latest.append((end, last, snd_nxt))
            if end > first:
                self._passed = max(self._passed, snd_nxt)
                break
        return latest[::-1]

    def _arrived(self, first: int, last: int, snd_una: int) -> int:
        """The end of the last of these segments that has arrived; `first`: none has."""
        ends = [min(last, end) for start, end in self._sacked if start < last and end > first]
        return max(first, min(last, snd_una), *ends)

    def lost(self, snd_una: int) -> Ranges:
        """The segments that are lost and were not sent again, in order."""
        end = max(self.point, self._passed) if self._timeout else self._passed
        missing: Ranges = []
        at = snd_una
        for first, last in sorted([*self._sacked, *[(first, last) for first, last, _ in self._again], (end, end)]):
            if at < min(first, end):
                missing.append((at, min(first, end)))
            at = max(at, last)
        return missing

    def begin(self, snd_nxt: int, timeout: bool = False) -> None:
        """Begin a recovery that lasts until everything before `snd_nxt` is acknowledged. After a `timeout` nothing is
        known about the segments sent."""
        self.under_way, self.point, self._timeout = True, snd_nxt, timeout
        if timeout:
            self._again = []

    def sent_again(self, first: int, last: int, snd_nxt: int) -> None:
        """These segments were sent again."""
        self._again.append((first, last, snd_nxt))

    def pipe(self, snd_una: int, snd_nxt: int) -> int:
        """The number of segments on their way."""
        known = [*self._sacked, *self.lost(snd_una)]
        return snd_nxt - snd_una - sum([last - first for first, last in known])
