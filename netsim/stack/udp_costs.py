"""The processor time that UDP takes on one host. A simulation makes each work once for each kind of fragment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS, frame_size
from netsim.machine import Place, Work
from netsim.stack import ip
from netsim.stack.remembering import Remember, cache
from netsim.stack.socket import bill_call, bill_send

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class UdpCosts:
    """Sizes in bytes of IP payload; `port` and `remember` as in TcpCosts."""

    def __init__(self, host: ComputerSpec, remember: Remember = cache) -> None:
        self.host = host
        self.system = host.system
        self.ports = host.ports()
        self.write = remember(self._write)
        self.arrival = remember(self._arrival)
        self.read = remember(self._read)

    def _write(self, nbytes: int, first: bool, port: int | None, slept: bool) -> Work:
        """A process copies a fragment into a buffer and sends it."""
        bill = bill_call(self.host, first, slept)
        if first:
            bill.cycles("protocol", self.system.udp.tx_cycles)
        bill_send(self.host, bill.cycles("protocol", self.system.ip.fragment_cycles), nbytes)
        return self.host.bill_transmit(bill, frame_size(ip.HEADER + nbytes) - FCS, port).work()

    def _arrival(self, nbytes: int, total: int, received_by: int, completes: bool) -> Work:
        """A fragment received. The one that completes a datagram has them all copied into one buffer (those of other
        ports are taken to lie where its own does)."""
        bill = self.host.bill_arrival(self.ports[received_by], frame_size(ip.HEADER + nbytes))
        if nbytes < total:
            bill.cycles("protocol", self.system.ip.reassembly_cycles)
        if completes:
            bill.cycles("protocol", self.system.udp.rx_cycles)
            if nbytes < total:
                bill.copy(total, *self._leaves(nbytes, received_by))
        return bill.work()

    def _read(self, nbytes: int, place: Place, slept: bool) -> Work:
        """A process copies a datagram out of the socket, in one pass with the checksum."""
        return bill_call(self.host, True, slept).copy(nbytes, *place).work()

    def place(self, nbytes: int, total: int, received_by: int) -> Place:
        """Where the reading process finds a datagram whose last fragment had `nbytes` of `total`."""
        return Place("cache", True) if nbytes < total else self._leaves(nbytes, received_by)

    def _leaves(self, nbytes: int, received_by: int) -> Place:
        return self.host.leaves(self.ports[received_by], frame_size(ip.HEADER + nbytes))
