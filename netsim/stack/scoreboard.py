"""What the sender of a TCP connection knows about the bytes beyond a hole (RFC 2018, 5). Pure state; nothing here takes
time."""

from __future__ import annotations

Range = tuple[int, int]  # first byte, first byte after
Ranges = list[Range]  # in order and disjoint


def union(ranges: Ranges, start: int, end: int) -> Ranges:
    """`ranges` and the bytes from `start` to `end`."""
    apart = []
    for one in ranges:
        if one[1] < start or one[0] > end:
            apart.append(one)
        else:
            start, end = min(start, one[0]), max(end, one[1])
    return sorted([*apart, (start, end)])


def without(ranges: Ranges, start: int, end: int) -> Ranges:
    """`ranges` except for the bytes from `start` to `end`."""
    pieces = [piece for first, last in ranges for piece in ((first, min(last, start)), (max(first, end), last))]
    return [(first, last) for first, last in pieces if first < last]


class Scoreboard:
    """`sacked`: the bytes that the peer holds beyond a hole. `retransmitted`: bytes sent a second time and not yet
    known to have arrived."""

    __slots__ = ("retransmitted", "sacked")

    def __init__(self) -> None:
        self.sacked: Ranges = []
        self.retransmitted: Ranges = []

    def sack(self, start: int, end: int) -> None:
        """The peer reports that it has these bytes."""
        self.sacked = union(self.sacked, start, end)
        self.retransmitted = without(self.retransmitted, start, end)

    def retransmit(self, start: int, end: int) -> None:
        """These bytes are sent again."""
        self.retransmitted = union(self.retransmitted, start, end)

    def advance(self, snd_una: int) -> None:
        """Everything before `snd_una` is acknowledged."""
        self.sacked = without(self.sacked, 0, snd_una)
        self.retransmitted = without(self.retransmitted, 0, snd_una)

    def clear(self) -> None:
        """Forget everything: after a timeout the peer may have discarded the bytes that it held (RFC 2018, 8)."""
        self.sacked, self.retransmitted = [], []

    def fack(self, snd_una: int) -> int:
        """The end of the last byte that the peer is known to have, with or without holes before it: FACK's forward
        acknowledgement."""
        return self.sacked[-1][1] if self.sacked else snd_una

    def retran_data(self) -> int:
        """Bytes sent again whose fate is unknown."""
        return sum(end - start for start, end in self.retransmitted)

    def holes(self, snd_una: int, mss: int) -> Ranges:
        """The ranges before `fack` that the peer lacks and that were not sent again, in pieces of at most a segment."""
        missing: Ranges = [(snd_una, self.fack(snd_una))]
        for start, end in (*self.sacked, *self.retransmitted):
            missing = without(missing, start, end)
        return [(seq, min(seq + mss, end)) for start, end in missing for seq in range(start, end, mss)]
