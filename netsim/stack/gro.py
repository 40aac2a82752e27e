"""Generic receive offload: consecutive segments become one packet for the protocols.

Source: Linux 5.17, net/core/gro.c and skbuff.c, skb_gro_receive: a merged packet has fewer than 65,536 bytes with its
headers; net/core/dev.c, napi_poll: the remaining packets go up after a poll that was not full, or after each poll if a
jiffy is longer than 1 ms. Several flows of one queue would share eight buckets; here each queue has one flow.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

MOST: Final = 65_535  # bytes of a merged packet, with IP and TCP headers

Run = tuple[int, int]  # first segment, and how many


def merged_at_most(mss: int, headers: int) -> int:
    """The largest number of segments in a merged packet."""
    return max(1, (MOST - headers) // mss)


@final
class Gro:
    """The GRO of one queue: up to `most` segments become one packet (1: it is off). `keeps`: it holds packets from one
    full poll to the next."""

    def __init__(self, most: int, keeps: bool) -> None:
        self._most: i64 = most
        self._keeps = keeps
        self._first: i64 = 0  # of the growing packet
        self._count: i64 = 0

    def merge(self, runs: list[Run], complete: bool) -> list[Run]:
        """The packets that go up with a poll's segments."""
        found: list[Run] = []
        for first, count in runs:
            self._take(first, count, found)
        if complete or not self._keeps:
            self._flush(found)
        return found

    def _take(self, first: i64, count: i64, found: list[Run]) -> None:
        if self._count and first != self._first + self._count:
            self._flush(found)
        while count:
            if not self._count:
                self._first = first
            some: i64 = min(count, self._most - self._count)
            self._count += some
            first += some
            count -= some
            if self._count == self._most:
                self._flush(found)

    def _flush(self, found: list[Run]) -> None:
        if self._count:
            found.append((self._first, self._count))
            self._count = 0
