"""IPv4 as far as sizes and fragments go (RFC 791)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

if TYPE_CHECKING:
    from netsim.stack.ip_spec import IpSpec

HEADER = 20  # bytes, without options (RFC 791, 3.1)
LARGEST = 65_535  # bytes of a packet (3.1: the total length)
FRAGMENT_UNIT = 8  # fragment offsets count these (RFC 791, 2.3)


@dataclass
class _Incomplete:
    missing: int  # bytes
    held: int  # bytes
    since: int  # ps


@mypyc_attr(allow_interpreted_subclasses=True)
class Reassembly:
    """Reassembles datagrams. A datagram is complete when all of its bytes have arrived, in any order."""

    def __init__(self, spec: IpSpec) -> None:
        self._spec = spec
        self._incomplete: dict[int, _Incomplete] = {}  # by datagram, oldest first
        self._held = 0
        self.drops = {"reassembly": 0}  # fragments of abandoned datagrams

    def completes(self, datagram: int, nbytes: int, total: int) -> bool:
        """Whether `nbytes` more would complete `datagram`, of `total` bytes."""
        kept = self._incomplete.get(datagram)
        return nbytes >= (total if kept is None else kept.missing)

    def add(self, datagram: int, nbytes: int, total: int, now: int) -> bool:
        """Add a fragment received at `now` (ps); True if its datagram is complete."""
        kept = self._incomplete.get(datagram)
        if kept is None:
            if nbytes == total:
                return True
            self._make_room(nbytes, now)
            kept = self._incomplete[datagram] = _Incomplete(total, 0, now)
        kept.missing -= nbytes
        if kept.missing == 0:
            self._held -= kept.held
            del self._incomplete[datagram]
            return True
        kept.held += nbytes
        self._held += nbytes
        return False

    def _make_room(self, nbytes: int, now: int) -> None:
        """Abandon the oldest datagrams while they are too old or exceed the memory."""
        for datagram, kept in list(self._incomplete.items()):
            old = now - kept.since > self._spec.reassembly_time
            if not old and self._held + nbytes <= self._spec.reassembly_memory:
                return
            self.give_up(datagram)

    def give_up(self, datagram: int) -> None:
        """Drop the fragments of `datagram` received so far."""
        self._held -= self._incomplete.pop(datagram).held
        self.drops["reassembly"] += 1

    @property
    def incomplete(self) -> int:
        """The number of incomplete datagrams."""
        return len(self._incomplete)
