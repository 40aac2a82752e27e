"""The processor time that UDP takes on one host with one adapter. Each work is made once for each kind of fragment."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS, frame_size
from netsim.host import DriverSpec, Source, Work
from netsim.stack import ip
from netsim.stack.socket import bill_call, bill_send

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class UdpCosts:
    """Sizes in bytes of IP payload; `straight` as in TcpCosts."""

    def __init__(self, host: ComputerSpec, driver: DriverSpec) -> None:
        self.host = host
        self.driver = driver
        self.system = host.system
        self.write = cache(self._write)
        self.arrival = cache(self._arrival)
        self.read = cache(self._read)

    def _write(self, nbytes: int, first: bool, straight: bool, slept: bool) -> Work:
        """A process copies a fragment into a buffer and sends it."""
        bill = bill_call(self.host, first, slept)
        if first:
            bill.cycles("protocol", self.system.udp.tx_cycles)
        bill_send(self.host, self.driver, bill.cycles("protocol", self.system.ip.fragment_cycles), nbytes)
        if straight:
            self.driver.bill_transmit(bill, frame_size(ip.HEADER + nbytes) - FCS)
        return bill.work()

    def _arrival(self, nbytes: int, total: int, completes: bool) -> Work:
        """A fragment received. The one that completes a datagram has them all copied into one buffer."""
        bill = self.host.bill()
        if nbytes < total:
            bill.cycles("protocol", self.system.ip.reassembly_cycles)
        if completes:
            bill.cycles("protocol", self.system.udp.rx_cycles)
            if nbytes < total:
                size = frame_size(ip.HEADER + nbytes)
                bill.copy(total, self.driver.leaves_in(size), self.driver.aligned(size))
        return bill.work()

    def _read(self, nbytes: int, source: Source, slept: bool) -> Work:
        """A process copies a datagram out of the socket, in one pass with the checksum."""
        return bill_call(self.host, True, slept).copy(nbytes, source).work()

    def lies_in(self, nbytes: int, total: int) -> Source:
        """Where the reading process finds a datagram whose last fragment had `nbytes` of `total`."""
        return "cache" if nbytes < total else self.driver.leaves_in(frame_size(ip.HEADER + nbytes))
