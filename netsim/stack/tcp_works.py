"""TCP's works on one host, each made once, in tables whose keys combine into one number all that a work depends on."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from netsim.machine import Place, Work
from netsim.stack.socket import Entry
from netsim.stack.tcp_costs import TcpCosts

_PORT: Final = 8  # bits for the number of a port, or QUEUED, plus 1
_LENGTH: Final = 20  # bits for bytes of payload, as many as are handed over at once
_ENTRY: Final = 2  # bits for Entry.number


@mypyc_attr(allow_interpreted_subclasses=True)
class TcpWorks:
    """The works of TcpCosts for one end of a connection; port numbers as in Device.straight."""

    def __init__(self, costs: TcpCosts) -> None:
        self.costs = costs
        self.wake_up = costs.wake_up()  # for a process that finds nothing to do
        self._segments: dict[int, Work] = {}
        self._checks: dict[int, Work] = {}
        self._arrivals: dict[int, Work] = {}
        self._answered: dict[int, Work] = {}
        # By the alignment and the bytes whose checksum is recomputed, in one number.
        self._writes: dict[int, dict[int, Work]] = {}
        self._sending_writes: dict[int, dict[int, Work]] = {}
        self._reads: dict[Place, dict[int, Work]] = {}
        self._places: dict[int, Place] = {}
        self._memories: dict[int, int] = {}

    def segment(self, length: i64, port: i64) -> Work:
        """A segment sent in deferred work."""
        key = length << _PORT | (port + 1)
        work = self._segments.get(key)
        if work is None:
            work = self._segments[key] = self.costs.segment(length, _known(port))
        return work

    def check(self, length: i64, received_by: i64) -> Work:
        """The checksum of a received segment is verified, and its socket found."""
        key = length << _PORT | received_by
        work = self._checks.get(key)
        if work is None:
            work = self._checks[key] = self.costs.check(length, received_by)
        return work

    def arrival(self, length: i64, received_by: i64, copied: i64, checked: bool) -> Work:
        """A received segment, which may have been `checked` before. For a given length, all bytes are copied or
        none."""
        key = (length << _PORT | received_by) << 1 | checked
        work = self._arrivals.get(key)
        if work is None:
            work = self._arrivals[key] = self.costs.arrival(length, received_by, copied, checked)
        return work

    def answered(self, length: i64, received_by: i64, port: i64, copied: i64, checked: bool) -> Work:
        """The same, with the acknowledgement that is sent at once."""
        key = ((length << _PORT | received_by) << _PORT | (port + 1)) << 1 | checked
        work = self._answered.get(key)
        if work is None:
            work = self._answered[key] = self.costs.answered(length, received_by, _known(port), copied, checked)
        return work

    def write(self, nbytes: i64, entry: Entry, aligned: bool, anew: i64) -> Work:
        """A process copies `nbytes` into the socket, where they wait, and recomputes the checksum of `anew` bytes
        there."""
        how = anew << 1 | aligned
        writes = self._writes.get(how)
        if writes is None:
            writes = self._writes[how] = {}
        key = nbytes << _ENTRY | entry.number
        work = writes.get(key)
        if work is None:
            work = writes[key] = self.costs.write(nbytes, entry, aligned, anew)
        return work

    def write_and_send(self, nbytes: i64, length: i64, port: i64, entry: Entry, aligned: bool, anew: i64) -> Work:
        """The same, and the process sends a segment of `length` bytes."""
        how = anew << 1 | aligned
        writes = self._sending_writes.get(how)
        if writes is None:
            writes = self._sending_writes[how] = {}
        key = ((nbytes << _LENGTH | length) << _PORT | (port + 1)) << _ENTRY | entry.number
        work = writes.get(key)
        if work is None:
            work = writes[key] = self.costs.write_and_send(nbytes, length, _known(port), entry, aligned, anew)
        return work

    def read(self, nbytes: i64, place: Place, entry: Entry) -> Work:
        """A process copies `nbytes` out of the socket."""
        reads = self._reads.get(place)
        if reads is None:
            reads = self._reads[place] = {}
        key = nbytes << _ENTRY | entry.number
        work = reads.get(key)
        if work is None:
            work = reads[key] = self.costs.read(nbytes, place, entry)
        return work

    def place(self, size: i64, received_by: i64) -> Place:
        """Where the reading process finds the bytes of a frame."""
        key = size << _PORT | received_by
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self.costs.place(size, received_by)
        return place

    def memory(self, size: i64, received_by: i64) -> int:
        """Bytes of memory of a received frame."""
        key = size << _PORT | received_by
        memory = self._memories.get(key)
        if memory is None:
            memory = self._memories[key] = self.costs.memory(size, received_by)
        return memory


def _known(port: i64) -> int | None:
    return None if port < 0 else port
