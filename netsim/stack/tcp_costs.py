"""The processor time that TCP takes on one host with one adapter. Each work is made once for each kind of segment."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS
from netsim.host import Bill, DriverSpec, Source, Work
from netsim.stack.socket import bill_call, bill_send

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class TcpCosts:
    """`straight` says that a frame goes to the adapter at once; one that is queued above a full ring costs the driver
    its time later. Lengths are bytes of payload."""

    def __init__(self, host: ComputerSpec, driver: DriverSpec) -> None:
        self.host = host
        self.driver = driver
        self.spec = host.system.tcp
        self.segment = cache(self._segment)
        self.arrival = cache(self._arrival)
        self.write = cache(self._write)
        self.read = cache(self._read)
        self.lies_in = cache(self._lies_in)

    def _segment(self, length: int, straight: bool) -> Work:
        """A segment sent in deferred work: an acknowledgement, or data that were in the socket already."""
        return self._send(self.host.bill(), length, straight).work()

    def _arrival(self, length: int, acks: bool, straight: bool) -> Work:
        """A segment received, and answered at once (`acks`) or not."""
        bill = self.host.bill().cycles("protocol", self.spec.rx_cycles)
        if length and self.driver.rx_checksum == "host":
            size = self.spec.frame_size(length)
            bill.checksum(length, self.driver.leaves_in(size), self.driver.aligned(size))
        return (self._send(bill, 0, straight) if acks else bill).work()

    def _write(self, nbytes: int, length: int, straight: bool, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` into the socket, and sends a segment of `length` if that is not 0."""
        bill = bill_send(self.host, self.driver, bill_call(self.host, first, slept), nbytes)
        return (self._send(bill, length, straight) if length else bill).work()

    def _read(self, nbytes: int, source: Source, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` out of the socket."""
        aligned = self.driver.aligned(self.spec.frame_size(nbytes))
        return bill_call(self.host, first, slept).copy(nbytes, source, aligned).work()

    def _send(self, bill: Bill, length: int, straight: bool) -> Bill:
        bill.cycles("protocol", self.spec.tx_cycles)
        if straight:
            self.driver.bill_transmit(bill, self.spec.frame_size(length) - FCS)
        return bill

    def _lies_in(self, size: int) -> Source:
        """Where the reading process finds the bytes of a frame of `size` bytes: a checksum brings them into a cache."""
        return "cache" if self.driver.rx_checksum == "host" else self.driver.leaves_in(size)
