"""TCP large send (NDIS 5, "Task Offload"): TCP hands the card more data than fit one segment, and the card cuts them
into segments.

The card repeats the headers with their own sequence numbers, lengths and checksums; all else is the same in all
segments, except that only the last one has PSH set. Full segments leave no room for SACK blocks.
"""

from __future__ import annotations

from netsim.ethernet import Frame
from netsim.stack.tcp import TcpSegment


class LargeSend(Frame):
    """A large send as the card receives it: `whole`, whose data fill segments of `mss` bytes each."""

    __slots__ = ("pieces",)

    def __init__(self, whole: TcpSegment, mss: int) -> None:
        super().__init__(whole.size, whole.port)
        size = whole.size - whole.length + mss
        last = whole.seq + whole.length - mss
        self.pieces = [_Piece(whole, seq, mss, size, seq == last) for seq in range(whole.seq, last + 1, mss)]


class _Piece(TcpSegment):
    """A segment that the card makes. Only the first one has its headers in memory."""

    __slots__ = ("first", "last")

    def __init__(self, whole: TcpSegment, seq: int, length: int, size: int, last: bool) -> None:
        super().__init__(size, whole.port, seq, length, whole.ack, whole.window, whole.tsval, whole.tsecr)
        self.push = whole.push and last
        self.first, self.last = seq == whole.seq, last

    @property
    def fetched(self) -> int:
        return self.buffer if self.first else self.length
