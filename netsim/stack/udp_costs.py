"""The processor time that UDP takes on one host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Bill, Place, Work
from netsim.stack import ip
from netsim.stack.call_costs import bill_call, bill_send
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


class UdpCosts:
    """Sizes in bytes of IP payload; `port` as in TcpCosts."""

    def __init__(self, host: ComputerSpec) -> None:
        self.host = host
        self.system = host.system
        self.ports = host.ports()

    def write(self, nbytes: int, port: int | None, entry: Entry) -> Work:
        """A process copies a fragment into a buffer and sends it. Each call begins with a datagram's first one."""
        bill = bill_call(self.host, entry)
        if entry.begins:
            bill.cycles("protocol", self.system.udp.tx_cycles)
        bill_send(self.host, bill.cycles("protocol", self.system.ip.fragment_cycles), nbytes)
        return self.host.bill_transmit(bill, frame_size(ip.HEADER + nbytes) - FCS, port).work()

    def fragment(self, nbytes: int, received_by: int) -> Work:
        """A fragment received, with more to come."""
        return self._bill_arrival(nbytes, received_by).cycles("protocol", self.system.ip.reassembly_cycles).work()

    def completion(self, nbytes: int, total: int, received_by: int) -> Work:
        """A datagram is complete with `nbytes` of its `total` received: one that came in fragments is copied into one
        buffer (those of other ports are taken to lie where the last one's does)."""
        bill = self._bill_arrival(nbytes, received_by).cycles("protocol", self.system.udp.rx_cycles)
        if nbytes < total:
            bill.cycles("protocol", self.system.ip.reassembly_cycles).copy(total, *self._leaves(nbytes, received_by))
        return bill.work()

    def _bill_arrival(self, nbytes: int, received_by: int) -> Bill:
        return self.host.bill_arrival(self.ports[received_by], frame_size(ip.HEADER + nbytes))

    def read(self, nbytes: int, place: Place, entry: Entry) -> Work:
        """A process copies a datagram out of the socket, in one pass with the checksum."""
        return bill_call(self.host, entry).copy(nbytes, *place).work()

    def place(self, nbytes: int, total: int, received_by: int) -> Place:
        """Where the reading process finds a datagram whose last fragment had `nbytes` of `total`."""
        return Place("cache", aligned=True) if nbytes < total else self._leaves(nbytes, received_by)

    def _leaves(self, nbytes: int, received_by: int) -> Place:
        return self.host.leaves(self.ports[received_by], frame_size(ip.HEADER + nbytes))
