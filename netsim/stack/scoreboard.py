"""What the sender of a TCP connection knows about the bytes behind a hole (RFC 2018, 5). Pure bookkeeping, no time."""

from __future__ import annotations

Range = tuple[int, int]  # first byte, first byte behind
Ranges = list[Range]  # in order, and apart from each other


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
    """`ranges` but for the bytes from `start` to `end`."""
    pieces = [piece for first, last in ranges for piece in ((first, min(last, start)), (max(first, end), last))]
    return [(first, last) for first, last in pieces if first < last]


class Scoreboard:
    """`held` is what the peer has beyond a hole, `again` what was sent a second time and is not known to have come."""

    __slots__ = ("again", "held")

    def __init__(self) -> None:
        self.held: Ranges = []
        self.again: Ranges = []

    def hold(self, start: int, end: int) -> None:
        """The peer says that it has these bytes."""
        self.held = union(self.held, start, end)
        self.again = without(self.again, start, end)

    def resend(self, start: int, end: int) -> None:
        """These bytes are sent again."""
        self.again = union(self.again, start, end)

    def advance(self, una: int) -> None:
        """Everything before `una` is acknowledged."""
        self.held = without(self.held, 0, una)
        self.again = without(self.again, 0, una)

    def clear(self) -> None:
        """Forget everything: after a timeout the peer may have thrown away what it held (RFC 2018, 8)."""
        self.held, self.again = [], []

    def fack(self, una: int) -> int:
        """The end of what the peer is known to have, holes or not: FACK's forward acknowledgement."""
        return self.held[-1][1] if self.held else una

    def in_doubt(self) -> int:
        """Bytes sent again of which nothing is known."""
        return sum(end - start for start, end in self.again)

    def holes(self, una: int, segment: int) -> Ranges:
        """What the peer lacks before fack and was not sent again, in pieces of at most a segment."""
        missing: Ranges = [(una, self.fack(una))]
        for start, end in (*self.held, *self.again):
            missing = without(missing, start, end)
        return [(seq, min(seq + segment, end)) for start, end in missing for seq in range(start, end, segment)]
