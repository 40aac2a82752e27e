"""TCP large send (NDIS 5, "Task Offload"): more than a segment's data are handed to the card at once, and it cuts them.

The card repeats the headers with their own sequence numbers, lengths and sums; all else is the same in all segments,
except that only the last one has PSH set. SACK blocks have no room beside full segments.
"""

from __future__ import annotations

from netsim.ethernet import Frame
from netsim.stack.tcp import TcpSegment


class LargeSend(Frame):
    """What the card is handed: `whole`, whose data make full segments of `mss` bytes each."""

    __slots__ = ("pieces",)

    def __init__(self, whole: TcpSegment, mss: int) -> None:
        super().__init__(whole.size, whole.port)
        size = whole.size - whole.length + mss
        last = whole.seq + whole.length - mss
        self.pieces = [_Piece(whole, seq, mss, size, seq == last) for seq in range(whole.seq, last + 1, mss)]


class _Piece(TcpSegment):
    """A segment that the card makes. Only the first has its headers in memory."""

    __slots__ = ("first", "last")

    def __init__(self, whole: TcpSegment, seq: int, length: int, size: int, last: bool) -> None:
        super().__init__(size, whole.port, seq, length, whole.ack, whole.window, whole.tsval, whole.tsecr)
        self.push = whole.push and last
        self.first, self.last = seq == whole.seq, last

    @property
    def fetched(self) -> int:
        return self.buffer if self.first else self.length
