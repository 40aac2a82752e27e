"""Which segments of a stream are lost, and sent again: by what the receiver has beyond a hole (RFC 2018, RFC 6675).

A hole counts as lost when anything behind it has come, and so does one that was sent again, once something has come
that was first sent after that: a cable keeps the order, so that this is what Linux' RACK finds (RFC 8985). An
acknowledgement reports all that came beyond, not of three blocks; the window is made smaller at once, and not by
proportional rate reduction. Pure bookkeeping, no time.
"""

from __future__ import annotations

from typing import final

from netsim.stack.scoreboard import Ranges


@final
class StreamRecovery:
    """`under_way` up to `point` (segments)."""

    def __init__(self) -> None:
        self.under_way = False
        self.point = 0
        self._timeout = False  # everything that has not come counts as lost
        self._sacked: Ranges = []
        self._again: list[tuple[int, int, int]] = []  # what was sent again, and snd_nxt then

    def told(self, sacked: tuple[tuple[int, int], ...], snd_una: int) -> None:
        """An acknowledgement says what has come."""
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
        """What is lost and was not sent again, in order."""
        end = self.point if self._timeout else self._fack(snd_una)
        missing: Ranges = []
        at = snd_una
        for first, last in sorted([*self._sacked, *[(first, last) for first, last, _ in self._again], (end, end)]):
            if at < min(first, end):
                missing.append((at, min(first, end)))
            at = max(at, last)
        return missing

    def begin(self, snd_nxt: int, timeout: bool = False) -> None:
        """Until everything before that is acknowledged; after a `timeout` nothing is known of what was sent."""
        self.under_way, self.point, self._timeout = True, snd_nxt, timeout
        if timeout:
            self._again = []

    def sent_again(self, first: int, last: int, snd_nxt: int) -> None:
        """Those are on their way once more."""
        self._again.append((first, last, snd_nxt))

    def pipe(self, snd_una: int, snd_nxt: int) -> int:
        """Segments on their way."""
        known = [*self._sacked, *self.lost(snd_una)]
        return snd_nxt - snd_una - sum([last - first for first, last in known])
