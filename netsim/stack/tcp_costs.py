"""The processor time that TCP takes on one host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS
from netsim.machine import Bill, Place, Work
from netsim.stack.call_costs import bill_call, bill_send
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


class TcpCosts:
    """`port` is the number of the port that a frame sent goes straight to; None if it is queued above a full ring, and
    costs the driver its time later. Lengths are bytes of payload. `by_card`: a card does the IPsec, if there is any;
    where the host does it, no card sees what it could sum."""

    def __init__(self, host: ComputerSpec, by_card: bool = False) -> None:
        self.host = host
        self.by_card = by_card
        self._in_clear = by_card or host.ipsec is None
        self.spec = host.system.tcp
        self.ports = host.ports()

    def enciphered(self, length: int, blocks: int = 0) -> int:
        """Bytes of a segment with `blocks` SACK blocks that the card enciphers if it is sent, and deciphers if it is
        received."""
        esp = self.host.ipsec if self.by_card else None
        return esp.enciphered(self.spec.packet_size(length, blocks)) if esp else 0

    def segment(self, length: int, port: int | None) -> Work:
        """A segment sent in deferred work: an acknowledgement, or data that were in the socket already."""
        return self._send(self.host.bill(), length, port).work()

    def arrival(self, length: int, received_by: int, copied: int = 0) -> Work:
        """A segment received, with `copied` bytes brought to the process, or to a buffer of the system's."""
        return self._bill_arrival(length, received_by, copied).work()

    def answered(self, length: int, received_by: int, port: int | None, copied: int = 0) -> Work:
        """The same, and the acknowledgement that is sent at once."""
        return self._send(self._bill_arrival(length, received_by, copied), 0, port).work()

    def _bill_arrival(self, length: int, received_by: int, copied: int) -> Bill:
        source, size = self.ports[received_by], self.host.frame_size(length)
        bill = self._bill_ipsec(self.host.bill_arrival(source, size), length).cycles("protocol", self.spec.rx_cycles)
        if length and self._sums(received_by):
            bill.checksum(length, *self._leaves(size, received_by))
        return bill.copy(copied, *self.place(size, received_by))

    def write(self, nbytes: int, entry: Entry) -> Work:
        """A process copies `nbytes` into the socket, where they wait."""
        return self._bill_write(nbytes, entry).work()

    def write_and_send(self, nbytes: int, length: int, port: int | None, entry: Entry) -> Work:
        """A process copies `nbytes` into the socket, and sends a segment of `length`."""
        return self._send(self._bill_write(nbytes, entry), length, port).work()

    def _bill_write(self, nbytes: int, entry: Entry) -> Bill:
        return bill_send(self.host, bill_call(self.host, entry), nbytes, self._in_clear)

    def read(self, nbytes: int, place: Place, entry: Entry) -> Work:
        """A process copies `nbytes` out of the socket."""
        return bill_call(self.host, entry).copy(nbytes, *place).work()

    def _send(self, bill: Bill, length: int, port: int | None) -> Bill:
        cycles = self.spec.ack_cycles
        bill.cycles("protocol", self.spec.tx_cycles if length or cycles is None else cycles)
        self._bill_ipsec(bill, length)
        return self.host.bill_transmit(bill, self.host.frame_size(length) - FCS, port, self.by_card)

    def place(self, size: int, received_by: int) -> Place:
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
