"""Packets that wait while a process has their socket to itself, until it lets go of it.

Source: Linux 5.4, net/ipv4/tcp_ipv4.c, tcp_add_backlog: a packet that follows the last one is put to it, as far as a
packet has room for pieces of memory (include/linux/skbuff.h, MAX_SKB_FRAGS; the head has one of its own). Packets whose
timestamps differ are not put together, which is one in a millisecond; that is left out. The backlog's limit is beyond
what a window lets come.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo

FRAGMENTS: Final = 17


def joined_at_most(fragments: int) -> int:
    """Segments that one packet of the backlog has, each of n pieces of memory."""
    return max(1, FRAGMENTS // fragments)


@final
class WaitingPacket:
    """`count` segments from `first` on, with the `mark` of when their data came to memory."""

    __slots__ = ("count", "first", "mark")

    def __init__(self, first: int, count: int, mark: int) -> None:
        self.first = first
        self.count = count
        self.mark = mark


@final
class SocketBacklog:
    """That of a stream; up to `most` segments are in a packet of it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._packets: Fifo[WaitingPacket] = Fifo()
        self._last: WaitingPacket | None = None
        self.segments = 0
        self.packets = self.joined = 0  # so far

    def __len__(self) -> int:
        return len(self._packets)

    def put(self, first: int, count: int, mark: int) -> bool:
        """One more; whether it became a part of the last one."""
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
        """The first one."""
        found = self._packets.popleft()
        self.segments -= found.count
        if not self._packets:
            self._last = None
        return found
