"""What every adapter has, whether it moves its data itself or the processor does."""

from __future__ import annotations

from typing import Literal

from netsim.bus import EisaSpec, Slot, Way
from netsim.ethernet.link_spec import CableMedium
from netsim.spec import Spec
from netsim.units import BitRate, Parts, PositiveBytes, Width


class CardSpec(Spec):
    """A card does `rate` (bit/s) and takes frames of up to `max_frame` bytes, with FCS, on each of up to `max_ports`
    ports. With `duplex` "half" it sends and receives in turn, so that it can share a segment, and has no use for a
    full-duplex link. Its `registers` are I/O "ports", where a processor waits for each write, or lie in "memory", where
    a PCI bridge posts them (PCI 2.1, 3.2.5), and have `register_width` bytes.

    It fits a slot of its `bus_standard` (an "isa" card an EISA slot, too; PCI and PCI-X cards fit each other's slots,
    and run as PCI if card or bus is), and has `bus_width` bytes of data lines (None: as many as its slot): it gains
    nothing from a wider bus. Its connectors are for links of one `medium` alone
    (None: for any)."""

    rate: BitRate
    max_frame: PositiveBytes
    max_ports: Parts = 1
    duplex: Literal["full", "half"] = "full"
    registers: Way = "ports"
    register_width: Literal[1, 2, 4] = 4
    bus_standard: Literal["pci", "pci-x", "isa", "eisa"] = "pci"
    bus_width: Width | None = None
    medium: CableMedium | None = None

    def sees(self, bus: Slot) -> Slot:
        """A host's bus as it is from the chip's place."""
        near = self._near(bus)
        return near if self.bus_width is None else near.narrowed(self.bus_width)

    def _near(self, bus: Slot) -> Slot:
        return bus.for_isa() if isinstance(bus, EisaSpec) and self.bus_standard == "isa" else bus
