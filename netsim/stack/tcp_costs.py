"""The processor time that TCP takes on one host. A simulation makes each work once for each kind of segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS
from netsim.machine import Bill, Place, Work
from netsim.stack.remembering import Remember, cache
from netsim.stack.socket import bill_call, bill_send

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class TcpCosts:
    """`port` is the number of the port that a frame sent goes straight to; None if it is queued above a full ring, and
    costs the driver its time later. Lengths are bytes of payload. `by_card`: a card does the IPsec, if there is any;
    where the host does it, no card sees what it could sum. `remember` what was asked for before, or not."""

    def __init__(self, host: ComputerSpec, by_card: bool = False, remember: Remember = cache) -> None:
        self.host = host
        self.by_card = by_card
        self._in_clear = by_card or host.ipsec is None
        self.spec = host.system.tcp
        self.ports = host.ports()
        self.segment = remember(self._segment)
        self.arrival = remember(self._arrival)
        self.write = remember(self._write)
        self.read = remember(self._read)
        self.place = remember(self._place)
        self.enciphered = remember(self._enciphered)

    def _enciphered(self, length: int, blocks: int = 0) -> int:
        """Bytes of a segment, with so many SACK blocks, that the card enciphers if it is sent, and deciphers if it is
        received."""
        esp = self.host.ipsec if self.by_card else None
        return esp.enciphered(self.spec.packet_size(length, blocks)) if esp else 0

    def _segment(self, length: int, port: int | None) -> Work:
        """A segment sent in deferred work: an acknowledgement, or data that were in the socket already."""
        return self._send(self.host.bill(), length, port).work()

    def _arrival(self, length: int, received_by: int, acks: bool, port: int | None, copied: int = 0) -> Work:
        """A segment received, and answered at once (`acks`) or not, with `copied` bytes brought to the process, or
        to a buffer of the system's."""
        source, size = self.ports[received_by], self.host.frame_size(length)
        bill = self._bill_ipsec(self.host.bill_arrival(source, size), length).cycles("protocol", self.spec.rx_cycles)
        if length and self._sums(received_by):
            bill.checksum(length, *self._leaves(size, received_by))
        bill.copy(copied, *self.place(size, received_by))
        return (self._send(bill, 0, port) if acks else bill).work()

    def _write(self, nbytes: int, length: int, port: int | None, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` into the socket, and sends a segment of `length` if that is not 0."""
        bill = bill_send(self.host, bill_call(self.host, first, slept), nbytes, self._in_clear)
        return (self._send(bill, length, port) if length else bill).work()

    def _read(self, nbytes: int, place: Place, first: bool, slept: bool) -> Work:
        """A process copies `nbytes` out of the socket."""
        return bill_call(self.host, first, slept).copy(nbytes, *place).work()

    def _send(self, bill: Bill, length: int, port: int | None) -> Bill:
        cycles = self.spec.ack_cycles
        bill.cycles("protocol", self.spec.tx_cycles if length or cycles is None else cycles)
        self._bill_ipsec(bill, length)
        return self.host.bill_transmit(bill, self.host.frame_size(length) - FCS, port, self.by_card)

    def _place(self, size: int, received_by: int) -> Place:
        """Where the reading process finds the bytes of a frame of `size` bytes: a checksum brings them into a cache."""
        source, aligned = self._leaves(size, received_by)
        return Place("cache" if self._sums(received_by) else source, aligned)

    def _leaves(self, size: int, received_by: int) -> Place:
        """Where TCP finds them: the host's cipher brings them into a cache."""
        source, aligned = self.host.leaves(self.ports[received_by], size)
        return Place(source if self._in_clear else "cache", aligned)

    def _sums(self, received_by: int) -> bool:
        """Whether the host checks the sum of what comes in there."""
        return not self._in_clear or self.ports[received_by].driver.rx_checksum == "host"

    def _bill_ipsec(self, bill: Bill, length: int) -> Bill:
        esp, costs = self.host.ipsec, self.host.system.ipsec
        return costs.bill(bill, esp, self.spec.packet_size(length), self.by_card) if esp and costs else bill
