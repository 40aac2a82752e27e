"""The processor time that TCP takes on one host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS, MAX_PAYLOAD
from netsim.machine import Bill, Place, Work
from netsim.stack.call_costs import bill_call, bill_send
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


class TcpCosts:
    """The costs of TCP on one host. `port` is the number of the port that a sent frame goes straight to; None if it is
    queued above a full ring, in which case the driver's time is charged later. Lengths are bytes of payload. A segment
    with data is sent `alone` if nothing is outstanding; one received `acks` if it acknowledges outstanding data.
    `by_card`: a card does the IPsec, if there is any; if the host does it, cards cannot compute checksums. Connections
    send through the port `through` or, with a bond, through all."""

    def __init__(self, host: ComputerSpec, by_card: bool = False, mtu: int = MAX_PAYLOAD, through: int = 0) -> None:
        self.host = host
        self.by_card = by_card
        self.mtu = mtu
        self._in_clear = by_card or host.ipsec is None
        self._card_sums = self._in_clear and host.card_sums(through)
        self.spec = host.system.tcp
        self.ports = host.ports()

    def enciphered(self, length: int, blocks: int = 0) -> int:
        """Bytes of a segment with `blocks` SACK blocks that the card enciphers when sending and deciphers when
        receiving."""
        esp = self.host.ipsec if self.by_card else None
        return esp.enciphered(self.spec.packet_size(length, blocks)) if esp else 0

    def segment(self, length: int, port: int | None, alone: bool = False) -> Work:
        """A segment sent in deferred work: an acknowledgement, or data already in the socket."""
        return self._send(self.host.bill(), length, port, alone, waited=length > 0).work()

    def check(self, length: int, received_by: int) -> Work:
        """The checksum of a received segment is verified, and its socket found."""
        return self._bill_check(length, received_by, self.checking).work()

    def arrival(
        self, length: int, received_by: int, copied: int = 0, checked: bool = False, acks: bool = False
    ) -> Work:
        """A received segment, with `copied` bytes brought to the process or to one of the system's buffers. It may have
        been `checked` before."""
        return self._bill_arrival(length, received_by, copied, checked, acks).work()

    def answered(
        self, length: int, received_by: int, port: int | None, copied: int = 0, checked: bool = False,
        acks: bool = False,
    ) -> Work:
        """The same, with the acknowledgement that is sent at once."""
        return self._send(self._bill_arrival(length, received_by, copied, checked, acks), 0, port).work()

    def _bill_arrival(self, length: int, received_by: int, copied: int, checked: bool, acks: bool) -> Bill:
        cycles = self._receiving(length, acks)
        if checked:
            bill = self.host.bill().cycles("protocol", max(0.0, cycles - self.checking))
        else:
            bill = self._bill_check(length, received_by, cycles)
        return bill.copy(copied, *self.place(self.host.frame_size(length), received_by))

    @property
    def checking(self) -> float:
        """Cycles until the socket of a received segment is found, with or without data."""
        return self.spec.check_share * self.spec.rx_cycles

    def _receiving(self, length: int, acks: bool) -> float:
        """Cycles of a received segment."""
        without = self.spec.ack_rx_cycles
        if not length and without is not None:
            return without
        return self.spec.rx_cycles + (self.spec.acked_cycles if length and acks else 0)

    def _bill_check(self, length: int, received_by: int, cycles: float) -> Bill:
        size = self.host.frame_size(length)
        bill = self.host.bill_arrival()
        esp, costs = self.host.ipsec, self.host.system.ipsec
        if esp and costs:
            costs.bill_received(bill, esp, self.spec.packet_size(length), by_card=self.by_card)
        bill.cycles("protocol", cycles)
        if length and self._sums(size, received_by):
            bill.checksum(length, self._leaves(size, received_by).source)
        return bill

    def write(self, nbytes: int, entry: Entry, aligned: bool = True, anew: int = 0) -> Work:
        """A process copies `nbytes`, which may be `aligned`, into the socket, where they wait, and recomputes the
        checksum of `anew` bytes there."""
        return self._bill_write(nbytes, entry, aligned, anew).work()

    def write_and_send(
        self, nbytes: int, length: int, port: int | None, entry: Entry, aligned: bool = True, anew: int = 0,
        alone: bool = False,
    ) -> Work:
        """The same, and the process sends a segment of `length` bytes."""
        return self._send(self._bill_write(nbytes, entry, aligned, anew), length, port, alone).work()

    def wake_up(self) -> Work:
        """A process is woken and finds nothing to do."""
        return self.host.bill().cycles("wake-up", self.host.system.kernel.wake_up_cycles).work()

    def _bill_write(self, nbytes: int, entry: Entry, aligned: bool, anew: int) -> Bill:
        bill = bill_send(self.host, bill_call(self.host, entry), nbytes, self._card_sums, aligned)
        return bill.checksum(anew, "level1") if anew else bill

    def read(self, nbytes: int, place: Place, entry: Entry) -> Work:
        """A process copies `nbytes` out of the socket."""
        return bill_call(self.host, entry).copy(nbytes, *place).work()

    def _send(self, bill: Bill, length: int, port: int | None, alone: bool = False, waited: bool = False) -> Bill:
        cycles = self.spec.ack_cycles
        bill.cycles("protocol", self.spec.tx_cycles if length or cycles is None else cycles)
        bill.cycles("protocol", self.spec.alone_cycles if length and alone else 0)
        esp, costs, kernel = self.host.ipsec, self.host.system.ipsec, self.host.system.kernel
        if esp and costs:
            packet = self.spec.packet_size(length)
            costs.bill_sent(bill, esp, packet, kernel, by_card=self.by_card, kept=length > 0)
        return self.host.bill_transmit(bill, self.host.frame_size(length) - FCS, port, self.by_card, waited)

    def place(self, size: int, received_by: int) -> Place:
        """Where the reading process finds the bytes of a frame of `size` bytes: a checksum brings them into a cache."""
        source, aligned = self._leaves(size, received_by)
        return Place("cache" if self._sums(size, received_by) else source, aligned)

    def memory(self, size: int, received_by: int) -> int:
        """Bytes of memory of a frame of `size` bytes received on port `received_by`."""
        return self.host.received_memory(self.ports[received_by], size, self.mtu)

    def _leaves(self, size: int, received_by: int) -> Place:
        """Where TCP finds the bytes: the host's cipher brings them into a cache."""
        source, aligned = self.ports[received_by].leaves(size - FCS)
        return Place(source if self._in_clear else "cache", aligned)

    def _sums(self, size: int, received_by: int) -> bool:
        """Whether the protocol computes the checksum of a frame of `size` bytes received on port `received_by`."""
        return not self._in_clear or not self.ports[received_by].driver.sums(size - FCS)


def segments_at_once(large_send: int, mss: int) -> int:
    """The largest number of segments of `mss` bytes handed over at once, if `large_send` bytes are allowed."""
    return max(1, large_send // mss)
