"""TCP's works on one host, each made once, in tables whose keys combine all that a work depends on into one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from netsim.engine import Environment
from netsim.machine import Place, Work
from netsim.stack.socket import Entry
from netsim.stack.tcp_costs import TcpCosts

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec

_PORT: Final = 8  # bits for the number of a port, or QUEUED, plus 1
_LENGTH: Final = 20  # bits for bytes of payload, as many as are handed over at once
_ENTRY: Final = 2  # bits for Entry.number
_BLOCKS: Final = 3  # bits for a number of SACK blocks


@final
class Arrived:
    """Segments of one size and one length, received on one port, that all acknowledge something, or none of them: where
    the reading process finds their bytes, how many bytes of `memory` each takes, and its works."""

    __slots__ = (
        "_answered", "_arrival", "_check", "_checked", "_costs", "acks", "length", "memory", "place", "received_by",
        "size",
    )

    def __init__(self, costs: TcpCosts, size: int, length: int, received_by: int, acks: bool) -> None:
        self._costs = costs
        self.size: i64 = size
        self.length: i64 = length
        self.received_by: i64 = received_by
        self.acks = acks
        self.place: Place = costs.place(size, received_by)
        self.memory: i64 = costs.memory(size, received_by)
        self._check: Work | None = None
        self._arrival: Work | None = None
        self._checked: Work | None = None
        self._answered: dict[int, Work] = {}  # by port, and whether they have been checked

    def check(self) -> Work:
        """The checksum of such a segment is verified, and its socket found."""
        work = self._check
        if work is None:
            work = self._check = self._costs.check(self.length, self.received_by)
        return work

    def arrival(self, copied: i64, checked: bool) -> Work:
        """Such a segment is received, which may have been `checked` before. All segments of one length are copied, or
        none."""
        work = self._checked if checked else self._arrival
        if work is None:
            work = self._costs.arrival(self.length, self.received_by, copied, checked, self.acks)
            if checked:
                self._checked = work
            else:
                self._arrival = work
        return work

    def answered(self, port: i64, copied: i64, checked: bool) -> Work:
        """The same, and the acknowledgement that is sent at once."""
        key = (port + 1) << 1 | checked
        work = self._answered.get(key)
        if work is None:
            work = self._costs.answered(self.length, self.received_by, _known(port), copied, checked, self.acks)
            self._answered[key] = work
        return work


@mypyc_attr(allow_interpreted_subclasses=True)
class TcpWorks:
    """The works of TcpCosts; port numbers as in Device.straight."""

    def __init__(self, costs: TcpCosts) -> None:
        self.costs = costs
        self.wake_up = costs.wake_up()  # for a process that finds nothing to do
        self._enciphered: dict[int, int] = {}
        self._segments: dict[int, Work] = {}
        self._segment: Work | None = None  # the last one that was sent
        self._segment_key: i64 = -1
        self._arrived: dict[int, Arrived] = {}
        self._last: Arrived | None = None  # the one of the segment before
        self._writes: dict[int, Work] = {}
        # By the bytes whose checksum is recomputed, alignment, and whether nothing is outstanding; then by the bytes
        # copied, the bytes sent, the port, and the entry.
        self._sending_writes: dict[int, dict[int, Work]] = {}
        self._reads: dict[Place, dict[int, Work]] = {}
        self._place: Place | None = None  # where the last read took its bytes from
        self._from_there: dict[int, Work] = {}  # the works of reads from there

    def enciphered(self, length: i64, blocks: i64) -> i64:
        """Bytes of a segment with SACK `blocks` that a card of this host enciphers or deciphers."""
        key = length << _BLOCKS | blocks
        nbytes = self._enciphered.get(key)
        if nbytes is None:
            nbytes = self._enciphered[key] = self.costs.enciphered(length, blocks)
        return nbytes

    def segment(self, length: i64, port: i64, alone: bool) -> Work:
        """A segment sent in deferred work."""
        key = (length << _PORT | (port + 1)) << 1 | alone
        last = self._segment
        if last is not None and key == self._segment_key:
            return last
        work = self._segments.get(key)
        if work is None:
            work = self._segments[key] = self.costs.segment(length, _known(port), alone)
        self._segment, self._segment_key = work, key
        return work

    def arrived(self, size: i64, length: i64, received_by: i64, acks: bool) -> Arrived:
        """What received segments of this size and length, by this port, have in common."""
        last = self._last
        if (
            last is not None
            and last.size == size
            and last.length == length
            and last.received_by == received_by
            and last.acks == acks
        ):
            return last
        key = ((size << _LENGTH | length) << _PORT | received_by) << 1 | acks
        found = self._arrived.get(key)
        if found is None:
            found = self._arrived[key] = Arrived(self.costs, size, length, received_by, acks)
        self._last = found
        return found

    def write(self, nbytes: i64, entry: Entry, aligned: bool, anew: i64) -> Work:
        """A process copies `nbytes` into the socket, where they wait, and recomputes the checksum of `anew` bytes
        there."""
        key = ((anew << 1 | aligned) << _LENGTH | nbytes) << _ENTRY | entry.number
        work = self._writes.get(key)
        if work is None:
            work = self._writes[key] = self.costs.write(nbytes, entry, aligned, anew)
        return work

    def write_and_send(
        self, nbytes: i64, length: i64, port: i64, entry: Entry, aligned: bool, anew: i64, alone: bool
    ) -> Work:
        """The same, and the process sends a segment of `length` bytes."""
        how = (anew << 1 | aligned) << 1 | alone
        writes = self._sending_writes.get(how)
        if writes is None:
            writes = self._sending_writes[how] = {}
        key = ((nbytes << _LENGTH | length) << _PORT | (port + 1)) << _ENTRY | entry.number
        work = writes.get(key)
        if work is None:
            work = writes[key] = self.costs.write_and_send(nbytes, length, _known(port), entry, aligned, anew, alone)
        return work

    def read(self, nbytes: i64, place: Place, entry: Entry) -> Work:
        """A process copies `nbytes` out of the socket."""
        if place is not self._place:
            self._place, self._from_there = place, self._reads.setdefault(place, {})
        key = nbytes << _ENTRY | entry.number
        work = self._from_there.get(key)
        if work is None:
            work = self._from_there[key] = self.costs.read(nbytes, place, entry)
        return work


def works_of(env: Environment, computer: ComputerSpec, by_card: bool, mtu: int, through: int) -> TcpWorks:
    """Those of a `computer`, which all of its connections `through` a port, and all hosts of the same description,
    share. The works keep it, so no other gets its id."""
    key = "TCP", id(computer), by_card, mtu, through
    works: TcpWorks | None = env.shared.get(key)
    if works is None:
        works = env.shared[key] = TcpWorks(TcpCosts(computer, by_card, mtu, through))
    return works


def _known(port: i64) -> int | None:
    return None if port < 0 else port
