"""What the sending half of a bus-master adapter is, and how long its steps take."""

from __future__ import annotations

from typing import Literal

from netsim.bus import BusSpec
from netsim.ethernet import Frame, Medium
from netsim.spec import Spec
from netsim.units import Bytes, Count, PositiveBytes, Time


class TransmitterSpec(Spec):
    """Sizes in bytes; `tx_frames` is how many frames the transmit FIFO may hold, the one being sent included (1: the
    next frame is fetched only after the last one is gone), `tx_turnaround` the time the chip needs between a frame's
    last bit and that fetch, `tx_wake_up` the time it needs from the doorbell to a fetch when it has nothing to do,
    `tx_burst_gap` what its DMA engine needs between two bursts (ps). `tx_descriptors` are fetched, and written back,
    together. `tx_segmentation` says that the chip can cut what is larger than a frame into TCP segments (NDIS 5: TCP
    large send), if its driver makes use of that.
    """

    tx_burst: PositiveBytes
    tx_burst_gap: Time = 0
    tx_threshold: Bytes
    tx_fifo: PositiveBytes
    tx_frames: Count
    tx_turnaround: Time
    tx_wake_up: Time = 0
    tx_descriptor: Bytes
    tx_status: Bytes
    tx_descriptors: Count = 1
    tx_done: Literal["sent", "fetched"]
    tx_segmentation: bool = False

    # A frame that is not the `first` of its ring entry has no descriptor of its own, and no status.

    def tx_lead_time(self, seen: BusSpec, size: int, first: bool = True) -> int:
        """ps from the start of the descriptor fetch, on an undisturbed bus, until the wire may start with a frame of
        `size` bytes in memory."""
        there = min(size, self.tx_threshold)
        descriptor = seen.shared_time(self.tx_descriptor, False, self.tx_descriptors) if first else 0
        return descriptor + seen.transfer_time(there, False, self.tx_burst) + self.tx_gaps(seen, there)

    def tx_bus_time(self, seen: BusSpec, size: int, first: bool = True) -> int:
        """ps of bus that sending a frame of `size` bytes in memory takes."""
        data = seen.transfer_time(size, False, self.tx_burst)
        if not first:
            return data
        descriptor = seen.shared_time(self.tx_descriptor, False, self.tx_descriptors)
        return descriptor + data + seen.shared_time(self.tx_status, True, self.tx_descriptors)

    def tx_gaps(self, seen: BusSpec, size: int) -> int:
        """ps that the DMA engine needs for that beside the bus."""
        return seen.bursts(size, False, self.tx_burst) * self.tx_burst_gap

    def tx_time(self, seen: BusSpec, size: int, first: bool = True) -> int:
        """ps in which the DMA engine fetches a frame of `size` bytes from memory, if it has the bus to itself."""
        return self.tx_bus_time(seen, size, first) + self.tx_gaps(seen, size)

    def tx_ahead(self, seen: BusSpec, link: Medium, frame: Frame) -> int:
        """ps from the start of the descriptor fetch until the wire starts with a frame, and does not run dry."""
        dma = self.tx_time(seen, frame.fetched, frame.first)
        return max(self.tx_lead_time(seen, frame.fetched, frame.first), dma - link.time(frame.size))

    def transmit_interval(self, seen: BusSpec, link: Medium, frame: Frame) -> int:
        """ps between the starts of two frames like `frame`, with all its pieces if it has some, that the adapter and
        the wire alone impose."""
        pieces = frame.pieces or (frame,)
        wire = sum(link.frame_time(one.size) for one in pieces)
        dma = sum(self.tx_time(seen, one.fetched, one.first) for one in pieces)
        return max(wire, dma, sum(self._unbuffered(seen, link, one) for one in pieces))

    def _unbuffered(self, seen: BusSpec, link: Medium, frame: Frame) -> int:
        """ps that a frame takes which can't be fetched as a whole while one like it is sent; 0 if it can."""
        if self.tx_frames > 1 and self.tx_fifo >= 2 * frame.size:
            return 0
        dma = self.tx_time(seen, frame.fetched, frame.first)
        ahead = self.tx_ahead(seen, link, frame)
        early = dma * max(0, self.tx_fifo - frame.size) // frame.size
        fetch = self.tx_turnaround if self.tx_frames == 1 else -early  # after the last bit of the frame ahead
        return link.time(frame.size + 8) + fetch + ahead
