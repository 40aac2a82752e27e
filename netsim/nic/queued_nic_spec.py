"""An adapter with queues on PCI Express, and the time of a frame on the link to the host.

Each queue has a ring of receive descriptors and one of transmit descriptors, and its own interrupt vector (MSI-X). For
a received frame the adapter writes the frame to its buffer, and then a completion entry; for a frame to be sent it
reads the descriptor and the frame, and writes a completion entry. It reads descriptors, and writes entries, several at
a time.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.bus import PcieSpec
from netsim.bus.pcie_spec import Piece
from netsim.errors import ScenarioError
from netsim.ethernet.frame import FCS
from netsim.nic.compression_spec import CompressionSpec
from netsim.spec import Spec
from netsim.units import (
    KIB,
    BitRate,
    Count,
    Descriptor,
    Mtu,
    Parts,
    PositiveBuffer,
    PositiveDescriptor,
    PositiveTime,
    Time,
)

_REGISTER = 4  # bytes: a doorbell, or the message of an interrupt
_MOST = 64 * KIB  # bytes of descriptors or entries that cross the link at once: a whole ring of the usual size


class QueuedNicSpec(Spec):
    """An adapter of `rate` with up to `queues`. Its `rx_` half reads descriptors of `descriptor` bytes, `fetch` of them
    at once; it writes completion entries of `completion` bytes (0: it writes the descriptor back, in the same size),
    `write_back` of them at once; and `packet_time` is the minimum time from one frame to the next (ps), of all queues
    together. The `tx_` half has the same, and `tx_queue_packet_time` is the minimum from one frame to the next of the
    same queue (0: a queue alone is as fast as all of them); with `tx_per_doorbell` all frames of a doorbell share an
    entry. Packets have up to `max_mtu` bytes. Frames wait in a `fifo` for the link to the host. The adapter's logic
    adds `latency` to each frame's path, in either direction. It may write receive completions with `compression`.

    An interrupt is held back for the driver's interval, which counts from the last interrupt of that vector
    ("since-last") or from the first unreported event ("since-first"), by `throttle`. Intervals are multiples of
    `interval_step`.
    """

    catalogue = "adapters"

    rate: BitRate
    queues: Parts
    rx_descriptor: PositiveDescriptor
    rx_completion: Descriptor
    rx_fetch: Count
    rx_write_back: Count
    rx_packet_time: Time
    tx_descriptor: PositiveDescriptor
    tx_completion: Descriptor
    tx_fetch: Count
    tx_write_back: Count
    tx_packet_time: Time
    max_mtu: Mtu
    fifo: PositiveBuffer
    throttle: Literal["since-last", "since-first"]
    interval_step: PositiveTime
    latency: Time = 0
    tx_queue_packet_time: Time = 0
    tx_per_doorbell: bool = False
    compression: CompressionSpec | None = None

    @model_validator(mode="after")
    def _holds_a_frame(self) -> Self:
        """The FIFO has room for a frame."""
        if self.fifo < (least := 1536):
            raise ScenarioError(f"{self.fifo} B can't hold a frame; allowed: {least} B or more", address="fifo")
        return self

    @model_validator(mode="after")
    def _compresses_entries(self) -> Self:
        """To compress entries, it must write separate ones, one for each frame."""
        if self.compression is not None and (not self.rx_completion or self.rx_write_back > 1):
            text = "only for completion entries that are written one by one; allowed here: none"
            raise ScenarioError(text, address="compression")
        return self

    @model_validator(mode="after")
    def _cross_in_pieces(self) -> Self:
        """Descriptors are read, and entries written, in amounts for which an adapter has room."""
        for name, size, batch in (
            ("rx_fetch", self.rx_descriptor, self.rx_fetch),
            ("rx_write_back", self.rx_completion or self.rx_descriptor, self.rx_write_back),
            ("tx_fetch", self.tx_descriptor, self.tx_fetch),
            ("tx_write_back", self.tx_completion or self.tx_descriptor, self.tx_write_back),
        ):
            if size * batch > _MOST:
                text = f"{batch} of {size} B at once are too many; allowed: up to {_MOST} B"
                raise ScenarioError(text, address=name)
        return self

    def held(self, interval: int) -> int:
        """The interval that it applies when the driver requests `interval` (ps): the next lower multiple of its
        step."""
        return interval // self.interval_step * self.interval_step

    def tx_apart(self, queues: int) -> float:
        """The least time (ps) from one sent frame to the next, if `queues` queues send equally."""
        return max(self.tx_packet_time, self.tx_queue_packet_time / queues)

    # --- one frame on the link to the host, ps of either direction. Completions of reads have up to `most` bytes. -----

    def rx_upstream(self, pcie: PcieSpec, size: int, apart: float = 0) -> int:
        """Time of a received frame of `size` bytes (with FCS, which is not transferred): data, its entry, the reads of
        descriptors. A queue's frames arrive every `apart` ps, which matters for compressed entries."""
        data = sum(wire for _, wire in pcie.writes(0, size - FCS))
        entry = self.rx_completion or self.rx_descriptor
        if self.compression is None:
            entries = _written(pcie, entry, self.rx_write_back)
        else:
            entries = self.compression.wire_bytes(pcie, entry, apart)
        return _time(pcie, data + entries + _asked(pcie, self.rx_descriptor, self.rx_fetch))

    def rx_downstream(self, pcie: PcieSpec, refill: int, most: int) -> int:
        """Time of a received frame: its descriptor, and a doorbell for each `refill` frames."""
        descriptors = _answered(pcie, self.rx_descriptor, self.rx_fetch, most)
        return _time(pcie, descriptors + _register(pcie) / refill)

    def tx_upstream(self, pcie: PcieSpec, size: int, burst: int) -> int:
        """Time of a sent frame: the reads of its data and of descriptors, and its completion entry, which the `burst`
        frames of a doorbell may share."""
        asked = len(pcie.reads(0, size - FCS)) * pcie.request_bytes + _asked(pcie, self.tx_descriptor, self.tx_fetch)
        entries = _written(pcie, (self.tx_completion or self.tx_descriptor), self.tx_write_back)
        return _time(pcie, asked + entries / (burst if self.tx_per_doorbell else 1))

    def tx_downstream(self, pcie: PcieSpec, size: int, burst: int, most: int) -> int:
        """Time of a sent frame: descriptor, data, and a doorbell for each `burst` frames."""
        data = _answered(pcie, size - FCS, 1, most)
        descriptors = _answered(pcie, self.tx_descriptor, self.tx_fetch, most)
        return _time(pcie, data + descriptors + _register(pcie) / burst)

    # --- the packets of one frame on that link ------------------------------------------------------------------------

    def tx_reads(self, pcie: PcieSpec, size: int, most: int) -> list[list[list[Piece]]]:
        """The successive reads for a sent frame, of its descriptor and of its data: for each, the completions of its
        requests, of up to `most` bytes."""
        both = (self.tx_descriptor, size - FCS)
        return [[pcie.completions(at, own, most) for at, own in pcie.reads(0, nbytes)] for nbytes in both]

    def tx_entry(self, pcie: PcieSpec) -> list[Piece]:
        """The write that announces a sent frame."""
        return pcie.writes(0, self.tx_completion or self.tx_descriptor)

    def rx_writes(self, pcie: PcieSpec, size: int) -> list[Piece]:
        """A received frame's data, and the entry after them."""
        return [*pcie.writes(0, size - FCS), *pcie.writes(0, self.rx_completion or self.rx_descriptor)]

    def register_bytes(self, pcie: PcieSpec) -> int:
        """Bytes of a doorbell, or of an interrupt's message, on that link."""
        return _register(pcie)

    def interrupt_time(self, pcie: PcieSpec) -> int:
        """Time of an interrupt: a write of one word (MSI-X)."""
        return pcie.time(_register(pcie))


def _time(pcie: PcieSpec, nbytes: float) -> int:
    """ps for `nbytes`, on average: frames that share a packet each take a part of it."""
    return round(pcie.time(1_000_000) * nbytes / 1_000_000)


def _written(pcie: PcieSpec, size: int, batch: int) -> float:
    return sum(wire for _, wire in pcie.writes(0, size * batch)) / batch


def _asked(pcie: PcieSpec, size: int, batch: int) -> float:
    return len(pcie.reads(0, size * batch)) * pcie.request_bytes / batch


def _answered(pcie: PcieSpec, size: int, batch: int, most: int) -> float:
    found = [pcie.completions(at, own, most) for at, own in pcie.reads(0, size * batch)]
    return sum(wire for pieces in found for _, wire in pieces) / batch


def _register(pcie: PcieSpec) -> int:
    return pcie.writes(0, _REGISTER)[0][1]
