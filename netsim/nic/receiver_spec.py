"""The receiving half of a bus-master adapter, and the times of its steps."""

from __future__ import annotations

from typing import Literal

from netsim.bus import Slot
from netsim.ethernet import Medium
from netsim.spec import Spec
from netsim.units import Buffer, Count, Descriptor, PositiveBuffer


class ReceiverSpec(Spec):
    """Sizes in bytes; `rx_descriptors` are fetched together. `rx_seen`: a driver that looks finds a frame as soon as it
    is "stored", by its status, or only once it has been "reported", by an index that the chip writes when it raises the
    interrupt.
    """

    rx_burst: PositiveBuffer
    rx_threshold: Buffer
    rx_fifo: PositiveBuffer
    rx_descriptor: Descriptor
    rx_status: Descriptor
    rx_descriptors: Count = 1
    rx_seen: Literal["stored", "reported"] = "stored"

    @property
    def rx_piece(self) -> int:
        """The most bytes of one burst: those in the FIFO when it begins; bytes that arrive meanwhile are left for the
        next one. A frame that has waited longer, to be deciphered or for an entry, is assumed to move in equally short
        bursts."""
        return min(self.rx_burst, self.rx_threshold or self.rx_burst)

    def rx_bus_time(self, seen: Slot, size: int) -> int:
        """The bus time (ps) of receiving a frame of `size` bytes in memory."""
        return (
            seen.shared_time(self.rx_descriptor, False, self.rx_descriptors)
            + seen.transfer_time(size, True, self.rx_piece)
            + seen.transfer_time(self.rx_status, True)
        )

    def rx_gaps(self, seen: Slot) -> int:
        """The time (ps) that the DMA engine needs in addition to the bus time: it waits only for the descriptor."""
        return seen.away_time(self.rx_descriptors * self.rx_descriptor, False) // self.rx_descriptors

    def rx_time(self, seen: Slot, size: int) -> int:
        """The time (ps) in which the DMA engine stores a frame of `size` bytes in memory, on an otherwise idle bus."""
        return self.rx_bus_time(seen, size) + self.rx_gaps(seen)

    def rx_lead_time(self, seen: Slot, link: Medium, size: int) -> int:
        """ps before a frame's last bit at which its train of bursts begins: early enough that at most `rx_threshold`
        bytes are left to move at the last bit, but not before `rx_threshold` bytes have arrived."""
        left = min(size, self.rx_threshold)
        tail = seen.transfer_time(left, True, self.rx_piece)
        tail += seen.transfer_time(self.rx_status, True)
        return max(0, min(self.rx_time(seen, size) - tail, link.time(size - self.rx_threshold)))
