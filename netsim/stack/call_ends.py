"""The ends of the send calls that wrote into a TCP connection."""

from __future__ import annotations

from bisect import bisect_right


class CallEnds:
    """The first byte after each send call whose data are not all acknowledged."""

    __slots__ = ("_ends",)

    def __init__(self) -> None:
        self._ends: list[int] = []

    def add(self, end: int) -> None:
        """A process begins a call whose data end before byte `end`."""
        self._ends.append(end)

    def within(self, seq: int, length: int, snd_una: int) -> bool:
        """Whether a call's last byte is in this segment, which then carries the PSH flag (RFC 1122, 4.2.2.2)."""
        ends = self._ends
        if not ends or seq + length < ends[0]:
            return False
        self._forget(snd_una)
        following = bisect_right(ends, seq)
        return following < len(ends) and ends[following] <= seq + length

    def count(self, snd_una: int) -> int:
        """Calls whose data are not all acknowledged."""
        self._forget(snd_una)
        return len(self._ends)

    def _forget(self, snd_una: int) -> None:
        ends = self._ends
        if ends and ends[0] <= snd_una:
            del ends[: bisect_right(ends, snd_una)]
