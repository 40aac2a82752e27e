"""Which segments of a stream are lost and sent again, inferred from what the receiver has beyond a hole (RFC 2018, RFC
6675).

A hole counts as lost once anything beyond it has arrived; a hole that was sent again counts as lost once anything first
sent after that has arrived. A cable keeps the order, so Linux' RACK gives the same result (RFC 8985). An
acknowledgement reports everything beyond the hole, not only three blocks; the window shrinks at once, without
proportional rate reduction. Pure state; nothing here takes time.
"""

from __future__ import annotations

from typing import final

from netsim.stack.scoreboard import Ranges


@final
class StreamRecovery:
    """A recovery, `under_way` until everything before `point` (segments) is acknowledged."""

    def __init__(self) -> None:
        self.under_way = False
        self.point = 0
        self._timeout = False  # everything that has not arrived counts as lost
        self._sacked: Ranges = []
        self._again: list[tuple[int, int, int]] = []  # segments sent again, and snd_nxt at that time

    def learn(self, sacked: tuple[tuple[int, int], ...], snd_una: int) -> None:
        """An acknowledgement reports what has arrived."""
        self._sacked = list(sacked)
        if self._again:
            fack = self._fack(snd_una)
            self._again = [one for one in self._again if one[1] > snd_una and fack <= one[2]]
        if self.under_way and snd_una >= self.point:
            self.under_way = self._timeout = False
            self._again = []

    def _fack(self, snd_una: int) -> int:
        return self._sacked[-1][1] if self._sacked else snd_una

    def lost(self, snd_una: int) -> Ranges:
        """The segments that are lost and were not sent again, in order."""
        end = self.point if self._timeout else self._fack(snd_una)
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
