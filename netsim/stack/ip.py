"""IPv4's packet sizes and fragments (RFC 791)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

if TYPE_CHECKING:
    from netsim.stack.ip_spec import IpSpec

HEADER = 20  # bytes, without options (RFC 791, 3.1)
LARGEST = 65_535  # bytes of a packet (3.1: the total length)
FRAGMENT_UNIT = 8  # bytes: the unit of fragment offsets (RFC 791, 2.3)


@dataclass
class _Incomplete:
    missing: int  # bytes
    held: int  # bytes of memory
    since: int  # ps: when its last fragment arrived


@mypyc_attr(allow_interpreted_subclasses=True)
class Reassembly:
    """Reassembles datagrams. A datagram is complete when all of its bytes have arrived, in any order.

    When incomplete datagrams hold too much memory, the oldest are given up until the rest hold little enough.
    Linux 2.2 gives up the oldest of each hash bucket in turn; a bucket has 512 consecutive datagrams (ip_fragment.c,
    ipqhashfn: the identification is in network order, so the bits of its upper half count), more than fit in memory.
    """

    def __init__(self, spec: IpSpec) -> None:
        self._time = spec.reassembly_time
        self._high, self._low = spec.reassembly_memory, spec.kept_memory
        self._per_datagram, self._per_fragment = spec.datagram_overhead, spec.fragment_overhead
        self._incomplete: dict[int, _Incomplete] = {}  # by datagram, oldest first
        self._held = 0
        self.drops = {"reassembly": 0}  # abandoned datagrams

    def completes(self, datagram: int, nbytes: int, total: int) -> bool:
        """Whether `nbytes` more would complete `datagram`, of `total` bytes."""
        kept = self._incomplete.get(datagram)
        return nbytes >= (total if kept is None else kept.missing)

    def add(self, datagram: int, nbytes: int, total: int, now: int, memory: int) -> bool:
        """Add a fragment received at `now` (ps), in a buffer of `memory` bytes; True if its datagram is complete."""
        kept = self._incomplete.get(datagram)
        if kept is None:
            if nbytes == total:
                return True
            self._give_up_old(now)
            kept = self._incomplete[datagram] = _Incomplete(total, self._per_datagram, now)
            self._held += self._per_datagram
        kept.missing -= nbytes
        if kept.missing == 0:
            self._held -= kept.held
            del self._incomplete[datagram]
            return True
        held = memory + self._per_fragment
        kept.held += held
        kept.since = now
        self._held += held
        if self._held > self._high:
            self._make_room()
        return False

    def _give_up_old(self, now: int) -> None:
        while self._incomplete:
            oldest = next(iter(self._incomplete))
            if now - self._incomplete[oldest].since <= self._time:
                return
            self.give_up(oldest)

    def _make_room(self) -> None:
        while self._held > self._low:
            self.give_up(next(iter(self._incomplete)))

    def give_up(self, datagram: int) -> None:
        """Drop the fragments of `datagram` received so far."""
        self._held -= self._incomplete.pop(datagram).held
        self.drops["reassembly"] += 1

    @property
    def incomplete(self) -> int:
        """The number of incomplete datagrams."""
        return len(self._incomplete)
