"""The processor time that TCP takes on one host. Each work is made once for each kind of segment."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS
from netsim.host import Bill, Place, Work
from netsim.stack.socket import bill_call, bill_send

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class TcpCosts:
    """`port` is the number of the port that a frame sent goes straight to; None if it is queued above a full ring, and
    costs the driver its time later. Lengths are bytes of payload."""

    def __init__(self, host: ComputerSpec) -> None:
        self.host = host
        self.spec = host.system.tcp
        self.ports = host.ports()
        self.segment = cache(self._segment)
        self.arrival = cache(self._arrival)
        self.write = cache(self._write)
        self.read = cache(self._read)
        self.place = cache(self._place)

    def _segment(self, length: int, port: int | None) -> Work:
        """A segment sent in deferred work: an acknowledgement, or data that were in the socket already."""
        return self._send(self.host.bill(), length, port).work()

    def _arrival(self, length: int, received_by: int, acks: bool, port: int | None, copied: int = 0) -> Work:
        """A segment received, and answered at once (`acks`) or not, with `copied` bytes brought to the process, or
        to a buffer of the system's."""
        bill = self.host.bill().cycles("protocol", self.spec.rx_cycles)
        source = self.ports[received_by]
        if length and source.driver.rx_checksum == "host":
            bill.checksum(length, *source.leaves(self.spec.frame_size(length)))
        bill.copy(copied, *self.place(self.spec.frame_size(length), received_by))
        return (self._send(bill, 0, port) if acks else bill).work()

    def _write(self, nbytes: int, length: int, port: int | None, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` into the socket, and sends a segment of `length` if that is not 0."""
        bill = bill_send(self.host, bill_call(self.host, first, slept), nbytes)
        return (self._send(bill, length, port) if length else bill).work()

    def _read(self, nbytes: int, place: Place, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` out of the socket."""
        return bill_call(self.host, first, slept).copy(nbytes, *place).work()

    def _send(self, bill: Bill, length: int, port: int | None) -> Bill:
        cycles = self.spec.ack_cycles
        bill.cycles("protocol", self.spec.tx_cycles if length or cycles is None else cycles)
        return self.host.bill_transmit(bill, self.spec.frame_size(length) - FCS, port)

    def _place(self, size: int, received_by: int) -> Place:
        """Where the reading process finds the bytes of a frame of `size` bytes: a checksum brings them into a cache."""
        port = self.ports[received_by]
        source, aligned = port.leaves(size)
        return Place("cache" if port.driver.rx_checksum == "host" else source, aligned)
