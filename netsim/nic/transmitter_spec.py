"""The sending half of a bus-master adapter, and the times of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from netsim.bus import Slot
from netsim.ethernet import Frame, Medium
from netsim.spec import Spec
from netsim.units import Buffer, Count, Descriptor, PositiveBuffer, PositiveDescriptor, Time, total


class TransmitterSpec(Spec):
    """Sizes in bytes; `tx_frames` is the number of frames that the transmit FIFO may hold, including the one being sent
    (1: the next frame is fetched only after the last one is gone), `tx_turnaround` the chip's time between a frame's
    last bit and that fetch, `tx_wake_up` its time from the doorbell to a fetch when idle, both in ps. `tx_descriptors`
    of `tx_descriptor` bytes are fetched together, in bursts of `tx_descriptor_burst` (None: one). When the chip has
    finished with a descriptor, it reads the location of the next one from that descriptor's `tx_link`. While the FIFO
    has no room for a whole frame, the chip fetches as much of the frame as fits: any "parts" of it, or only whole
    "buffers" (`tx_fetches`). It sends a frame of more than `tx_stored` bytes in memory only when the FIFO has all of
    it, whatever the threshold (None: no such limit). With `tx_segmentation` the chip can cut data larger than a frame
    into TCP segments (NDIS 5: TCP large send), if its driver uses that. `tx_seen`: a driver that looks finds a frame as
    soon as the chip is "done" with it, by its status, or only once it has been "reported", by an index that the chip
    writes when it raises the interrupt.
    """

    tx_burst: PositiveBuffer
    tx_threshold: Buffer
    tx_stored: Buffer | None = None
    tx_fifo: PositiveBuffer
    tx_frames: Count
    tx_turnaround: Time
    tx_wake_up: Time = 0
    tx_descriptor: Descriptor
    tx_descriptor_burst: PositiveDescriptor | None = None
    tx_link: Descriptor = 0
    tx_status: Descriptor
    tx_descriptors: Count = 1
    tx_fetches: Literal["parts", "buffers"] = "parts"
    tx_done: Literal["sent", "fetched"]
    tx_seen: Literal["done", "reported"] = "done"
    tx_segmentation: bool = False

    # A frame that is not the `first` of its ring entry has no separate descriptor, and no status.

    def tx_lead_time(self, seen: Slot, size: int, first: bool = True) -> int:
        """ps from the start of the descriptor fetch, on an undisturbed bus, until the wire may start with a frame of
        `size` bytes in memory."""
        stored = self.tx_stored is not None and size > self.tx_stored
        return self._begun(seen, size if stored else min(size, self.tx_threshold), first)

    def _begun(self, seen: Slot, nbytes: int, first: bool) -> int:
        """ps from the start of the descriptor fetch, on an undisturbed bus, until `nbytes` of a frame are there."""
        descriptor = self.tx_descriptor_time(seen) if first else 0
        return descriptor + seen.transfer_time(nbytes, False, self.tx_burst) + self.tx_gaps(seen, nbytes, first)

    def tx_head_start(self, seen: Slot, frame: Frame, room: int) -> int:
        """How many ps before the FIFO is empty the fetch of `frame` may begin, if only `room` bytes are free until
        then."""
        part = frame.fetched * max(0, room) // frame.size
        if self.tx_fetches == "buffers":
            part -= part % self.tx_together(frame.fetched)
        return self._begun(seen, part, frame.first)

    def tx_together(self, nbytes: int) -> int:
        """The size of the buffers that hold the `nbytes` of a frame in memory."""
        return nbytes

    @property
    def descriptor_fetched(self) -> int:
        """Bytes of a descriptor that the chip reads from the host's memory."""
        return self.tx_descriptor

    def tx_descriptor_time(self, seen: Slot) -> int:
        """ps of bus that the descriptor of a frame takes."""
        return seen.shared_time(self.descriptor_fetched, False, self.tx_descriptors, self.tx_descriptor_burst)

    def tx_status_time(self, seen: Slot) -> int:
        """ps of bus that the status of a frame takes."""
        return seen.transfer_time(self.tx_status, True)

    def tx_link_time(self, seen: Slot) -> int:
        """ps of bus in which the chip reads the location of the next descriptor."""
        return seen.transfer_time(self.tx_link, False)

    def tx_bus_time(self, seen: Slot, size: int, first: bool = True) -> int:
        """ps of bus that sending a frame of `size` bytes in memory takes."""
        data = seen.transfer_time(size, False, self.tx_burst)
        if not first:
            return data
        return self.tx_descriptor_time(seen) + data + self.tx_status_time(seen) + self.tx_link_time(seen)

    def tx_gaps(self, seen: Slot, size: int, first: bool = True) -> int:
        """ps that the DMA engine needs in addition to the bus time of a frame."""
        data = seen.away_time(size, False, self.tx_burst)
        if not first:
            return data
        together = seen.away_time(self.tx_descriptors * self.descriptor_fetched, False, self.tx_descriptor_burst)
        return data + together // self.tx_descriptors + seen.away_time(self.tx_link, False)

    def tx_time(self, seen: Slot, size: int, first: bool = True) -> int:
        """ps in which the DMA engine fetches a frame of `size` bytes from memory, on an otherwise idle bus."""
        return self.tx_bus_time(seen, size, first) + self.tx_gaps(seen, size, first)

    def tx_ahead(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """ps from the start of the descriptor fetch until the wire can start with a frame without running dry."""
        dma = self.tx_time(seen, frame.fetched, frame.first)
        return max(self.tx_lead_time(seen, frame.fetched, frame.first), dma - link.time(frame.size))

    def transmit_interval(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """The shortest time (ps) between the starts of two frames like `frame`, with all its pieces, if any, as limited
        by the adapter and the wire alone."""
        unbuffered = sum(self._unbuffered(seen, link, one) for one in frame.pieces or (frame,))
        return max(*self._alone(seen, link, frame), unbuffered)

    def transmit_time(self, seen: Slot, link: Medium, frames: Sequence[tuple[float, Frame]]) -> float:
        """The shortest time (ps) in which `frames` leave, each as often as its count, in any order. If sizes differ, a
        frame may be fetched while a larger one is sent, or a smaller one that leaves room for it in the FIFO."""
        sizes = {one.size for _, frame in frames for one in frame.pieces or (frame,)}
        if len(sizes) < 2 or self.tx_frames == 1:
            return total(count * self.transmit_interval(seen, link, frame) for count, frame in frames)
        times = [(count, *self._alone(seen, link, frame)) for count, frame in frames]
        return max(total(count * wire for count, wire, _ in times), total(count * dma for count, _, dma in times))

    def _alone(self, seen: Slot, link: Medium, frame: Frame) -> tuple[int, int]:
        """ps that a frame takes on the wire, and that its fetch takes."""
        pieces = frame.pieces or (frame,)
        wire = sum(link.frame_time(one.size) for one in pieces)
        return wire, sum(self.tx_time(seen, one.fetched, one.first) for one in pieces)

    def _unbuffered(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """ps of a frame that can't be fetched as a whole while one like it is sent; 0 if it can."""
        if self.tx_frames > 1 and self.tx_fifo >= 2 * frame.size:
            return 0
        # From the last bit of the previous frame until its fetch begins.
        one = self.tx_frames == 1
        fetch = self.tx_turnaround if one else -self.tx_head_start(seen, frame, self.tx_fifo - frame.size)
        return link.time(frame.size + 8) + fetch + self.tx_ahead(seen, link, frame)
