"""The processor time that UDP takes on one host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Bill, Place, Work
from netsim.stack import ip
from netsim.stack.call_costs import bill_call, bill_send
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec, Fragment

_GLUED: Final = Place("cache", aligned=True)  # a datagram that was copied into one buffer


class UdpCosts:
    """The costs of UDP on one host. Sizes are bytes of IP payload; `port` and `through` are as in TcpCosts. The host
    does any IPsec. What it receives was sent by `peer` (None: by a host like this one), which decides whether a
    datagram or each of its fragments is protected."""

    def __init__(self, host: ComputerSpec, through: int = 0, peer: ComputerSpec | None = None) -> None:
        self.host = host
        self.system = host.system
        self.ports = host.ports()
        self._esp = host.ipsec
        self._whole = host.protects_whole
        self._comes_whole = (peer or host).protects_whole
        self._card_sums = host.ipsec is None and host.card_sums(through)

    def write(self, fragment: Fragment, total: int, port: int | None, entry: Entry) -> Work:
        """A process copies a fragment of a datagram of `total` bytes into a buffer and sends it. Each call begins with
        the first fragment: if the datagram is protected whole, all of it is copied and protected then. A card can
        compute the checksum of a single frame only."""
        bill = bill_call(self.host, entry)
        if entry.begins:
            bill.cycles("protocol", self.system.udp.tx_cycles)
        nbytes = fragment.nbytes if not self._whole else total if entry.begins else 0
        by_card = self._card_sums and nbytes == total
        bill_send(self.host, bill.cycles("protocol", self.system.ip.fragment_cycles), nbytes, by_card)
        if self._esp and self.system.ipsec and nbytes:
            self.system.ipsec.bill_sent(bill, self._esp, ip.HEADER + nbytes, self.system.kernel)
        return self.host.bill_transmit(bill, fragment.size - FCS, port).work()

    def fragment(self, nbytes: int, received_by: int) -> Work:
        """A received fragment, with more to come."""
        return self._arrival(nbytes).cycles("protocol", self.system.ip.reassembly_cycles).work()

    def completion(self, nbytes: int, total: int, received_by: int) -> Work:
        """The last `nbytes` of a datagram's `total` are received: fragments are copied into one buffer (fragments from
        other ports are assumed to be where the last one is). Then its checksum is computed in a separate pass, unless
        the card or driver has done so, which is possible only for single frames (Linux 2.2: ip_glue, udp_rcv)."""
        bill = self._arrival(nbytes).cycles("protocol", self.system.udp.rx_cycles)
        source = self._leaves(nbytes, total, received_by)
        if nbytes < total:
            bill.cycles("protocol", self.system.ip.reassembly_cycles).copy(total, *source)
            source = _GLUED
        if self._comes_whole and self._esp and self.system.ipsec:
            self.system.ipsec.bill_received(bill, self._esp, ip.HEADER + total)
        if self._sums(nbytes, total, received_by):
            bill.checksum(total, "level1" if nbytes < total else source.source)
        return bill.work()

    def _sums(self, nbytes: int, total: int, received_by: int) -> bool:
        """Whether UDP has to compute the checksum of this datagram."""
        hidden = nbytes < total or self._esp is not None
        return hidden or not self.ports[received_by].driver.sums(self._seen(nbytes, total))

    def read(self, nbytes: int, place: Place, entry: Entry) -> Work:
        """A process copies a datagram out of the socket."""
        return bill_call(self.host, entry).copy(nbytes, *place).work()

    def place(self, nbytes: int, total: int, received_by: int) -> Place:
        """Where the reading process finds a datagram whose last fragment had `nbytes` of `total`: a pass over the
        datagram has left it in a cache."""
        if nbytes < total:
            return _GLUED
        source, aligned = self._leaves(nbytes, total, received_by)
        return Place("cache" if self._sums(nbytes, total, received_by) else source, aligned)

    def memory(self, nbytes: int, total: int, received_by: int, mtu: int) -> int:
        """Bytes of memory of this datagram."""
        if nbytes == total:
            return self.held(self._seen(nbytes, total) + FCS, received_by, mtu)
        socket = self.system.socket
        return socket.memory(ip.HEADER + total + socket.receive_headroom)

    def held(self, size: int, received_by: int, mtu: int) -> int:
        """Bytes of memory of a received frame of `size` bytes."""
        return self.host.received_memory(self.ports[received_by], size, mtu)

    def _leaves(self, nbytes: int, total: int, received_by: int) -> Place:
        source, aligned = self.ports[received_by].leaves(self._seen(nbytes, total))
        return Place(source if self._esp is None else "cache", aligned)

    def _arrival(self, nbytes: int) -> Bill:
        """A bill for a fragment on its way to UDP."""
        bill = self.host.bill_arrival()
        if self._esp and self.system.ipsec and not self._comes_whole:
            self.system.ipsec.bill_received(bill, self._esp, ip.HEADER + nbytes)
        return bill

    def _seen(self, nbytes: int, total: int) -> int:
        """Bytes of the frame, as the driver receives it, with the last `nbytes` of a datagram's `total`. What IPsec
        adds to a datagram that is protected whole is in its first fragment."""
        packet = ip.HEADER + nbytes
        plain = self._comes_whole and nbytes < total
        return (frame_size(packet) if plain else self.host.framed(packet)) - FCS
