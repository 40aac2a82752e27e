"""Packets that wait while a process owns their socket.

Source: Linux 5.4, net/ipv4/tcp_ipv4.c, tcp_add_backlog: a packet that continues the last one is joined to it, while
that has room for pieces of memory (include/linux/skbuff.h, MAX_SKB_FRAGS; the head has one more). Left out: packets
with different timestamps are not joined, which affects one packet per millisecond. The backlog's limit is larger than
any window, so it is never reached.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo

FRAGMENTS: Final = 17


def joined_at_most(fragments: int) -> int:
    """The largest number of segments in one packet of the backlog, if each occupies `fragments` pieces of memory."""
    return max(1, FRAGMENTS // fragments)


@final
class WaitingPacket:
    """`count` segments from `first` on, with a `mark` of when their data reached memory."""

    __slots__ = ("count", "first", "mark")

    def __init__(self, first: int, count: int, mark: int) -> None:
        self.first = first
        self.count = count
        self.mark = mark


@final
class SocketBacklog:
    """The backlog of a stream, with up to `most` segments per packet."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._packets: Fifo[WaitingPacket] = Fifo()
        self._last: WaitingPacket | None = None
        self.segments = 0
        self.packets = self.joined = 0  # so far

    def __len__(self) -> int:
        return len(self._packets)

    def put(self, first: int, count: int, mark: int) -> bool:
        """Add a packet. Returns whether it was joined to the last one."""
        self.packets += 1
        self.segments += count
        last = self._last
        if last is not None and last.first + last.count == first and last.count + count <= self._most:
            last.count += count
            self.joined += 1
            return True
        self._last = WaitingPacket(first, count, mark)
        self._packets.append(self._last)
        return False

    def take(self) -> WaitingPacket:
        """Remove and return the first packet."""
        found = self._packets.popleft()
        self.segments -= found.count
        if not self._packets:
            self._last = None
        return found
