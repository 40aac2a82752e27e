"""IPv4's packet sizes, fragments, and their reassembly (RFC 791)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

if TYPE_CHECKING:
    from netsim.stack.ip_spec import IpSpec

HEADER = 20  # bytes, without options (RFC 791, 3.1)
LARGEST = 65_535  # bytes of a packet (3.1: the total length)
FRAGMENT_UNIT = 8  # bytes: the unit of fragment offsets (RFC 791, 2.3)


@dataclass(eq=False)  # each is its own key
class _Incomplete:
    owner: Reassembly
    datagram: int
    missing: int  # bytes
    held: int  # bytes of memory
    since: int  # ps: when its last fragment arrived


class FragmentMemory:
    """What all incomplete datagrams of a host hold together (Linux 2.2: ip_frag_mem).

    When they hold too much memory, the oldest are given up until the rest hold little enough. Linux 2.2 gives up the
    oldest of each hash bucket in turn; a bucket has 512 consecutive datagrams of one sender (ip_fragment.c, ipqhashfn:
    the identification is in network order, so the bits of its upper half count), more than fit in memory. Which
    buckets a sender's datagrams are in depends on its counter; here the oldest of all senders' go first.
    """

    def __init__(self, spec: IpSpec) -> None:
        self._time = spec.reassembly_time
        self._high, self._low = spec.reassembly_memory, spec.kept_memory
        self._per_datagram, self._per_fragment = spec.datagram_overhead, spec.fragment_overhead
        self._incomplete: dict[_Incomplete, None] = {}  # oldest first
        self.held = 0  # bytes

    def begin(self, owner: Reassembly, datagram: int, total: int, now: int) -> _Incomplete:
        """A first fragment arrives at `now` (ps), of a datagram of `total` bytes."""
        self._give_up_old(now)
        one = _Incomplete(owner, datagram, total, self._per_datagram, now)
        self._incomplete[one] = None
        self.held += self._per_datagram
        return one

    def hold(self, one: _Incomplete, memory: int) -> None:
        """Keep a fragment in a buffer of `memory` bytes."""
        held = memory + self._per_fragment
        one.held += held
        self.held += held
        if self.held > self._high:
            self._make_room()

    def release(self, one: _Incomplete) -> None:
        """Its fragments need no memory any more."""
        self.held -= one.held
        del self._incomplete[one]

    def _give_up_old(self, now: int) -> None:
        while self._incomplete:
            oldest = next(iter(self._incomplete))
            if now - oldest.since <= self._time:
                return
            oldest.owner.give_up(oldest.datagram)

    def _make_room(self) -> None:
        while self.held > self._low:
            oldest = next(iter(self._incomplete))
            oldest.owner.give_up(oldest.datagram)


@mypyc_attr(allow_interpreted_subclasses=True)
class Reassembly:
    """Reassembles the datagrams of one flow, in the `memory` of its host. A datagram is complete when all of its bytes
    have arrived, in any order."""

    def __init__(self, memory: FragmentMemory) -> None:
        self._memory = memory
        self._incomplete: dict[int, _Incomplete] = {}  # by datagram
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
            kept = self._incomplete[datagram] = self._memory.begin(self, datagram, total, now)
        kept.missing -= nbytes
        if kept.missing == 0:
            self._memory.release(self._incomplete.pop(datagram))
            return True
        kept.since = now
        self._memory.hold(kept, memory)
        return False

    def give_up(self, datagram: int) -> None:
        """Drop the fragments of `datagram` received so far."""
        self._memory.release(self._incomplete.pop(datagram))
        self.drops["reassembly"] += 1

    @property
    def incomplete(self) -> int:
        """The number of incomplete datagrams."""
        return len(self._incomplete)
