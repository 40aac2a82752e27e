"""UDP's works on one host, each made once (see netsim.stack.tcp_works)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from netsim.machine import Place, Work
from netsim.stack.socket import Entry
from netsim.stack.udp_costs import UdpCosts

if TYPE_CHECKING:
    from netsim.stack.computer_spec import Fragment

_PORT: Final = 8  # bits for the number of a port, or QUEUED, plus 1
_LENGTH: Final = 17  # bits for bytes of IP payload
_ENTRY: Final = 2  # bits for Entry.number


class UdpWorks:
    """The works of UdpCosts for one socket; port numbers as in Device.straight."""

    def __init__(self, costs: UdpCosts) -> None:
        self.costs = costs
        self._writes: dict[int, Work] = {}
        self._fragments: dict[int, Work] = {}
        self._completions: dict[int, Work] = {}
        self._reads: dict[Place, dict[int, Work]] = {}
        self._places: dict[int, Place] = {}
        self._memories: dict[int, int] = {}
        self._held: dict[int, int] = {}

    def write(self, fragment: Fragment, total: int, port: int, entry: Entry) -> Work:
        """A process copies a fragment of a datagram of `total` bytes into a buffer and sends it."""
        key = ((fragment.nbytes << _LENGTH | total) << _PORT | (port + 1)) << _ENTRY | entry.number
        work = self._writes.get(key)
        if work is None:
            work = self._writes[key] = self.costs.write(fragment, total, None if port < 0 else port, entry)
        return work

    def fragment(self, nbytes: int, received_by: int) -> Work:
        """A received fragment, with more to come."""
        key = nbytes << _PORT | received_by
        work = self._fragments.get(key)
        if work is None:
            work = self._fragments[key] = self.costs.fragment(nbytes, received_by)
        return work

    def completion(self, nbytes: int, total: int, received_by: int) -> Work:
        """The last `nbytes` of a datagram's `total` are received."""
        key = (nbytes << _LENGTH | total) << _PORT | received_by
        work = self._completions.get(key)
        if work is None:
            work = self._completions[key] = self.costs.completion(nbytes, total, received_by)
        return work

    def read(self, nbytes: int, place: Place, entry: Entry) -> Work:
        """A process copies a datagram out of the socket."""
        reads = self._reads.get(place)
        if reads is None:
            reads = self._reads[place] = {}
        key = nbytes << _ENTRY | entry.number
        work = reads.get(key)
        if work is None:
            work = reads[key] = self.costs.read(nbytes, place, entry)
        return work

    def place(self, nbytes: int, total: int, received_by: int) -> Place:
        """Where the reading process finds a datagram whose last fragment had `nbytes` of `total`."""
        key = (nbytes << _LENGTH | total) << _PORT | received_by
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self.costs.place(nbytes, total, received_by)
        return place

    def memory(self, nbytes: int, total: int, received_by: int, mtu: int) -> int:
        """Bytes of memory of such a datagram."""
        key = (nbytes << _LENGTH | total) << _PORT | received_by
        memory = self._memories.get(key)
        if memory is None:
            memory = self._memories[key] = self.costs.memory(nbytes, total, received_by, mtu)
        return memory

    def held(self, size: int, received_by: int, mtu: int) -> int:
        """Bytes of memory of a received frame of `size` bytes."""
        key = size << _PORT | received_by
        memory = self._held.get(key)
        if memory is None:
            memory = self._held[key] = self.costs.held(size, received_by, mtu)
        return memory
