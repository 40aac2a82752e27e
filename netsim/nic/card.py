"""What every adapter has, whether it moves its data itself or the processor does."""

from __future__ import annotations

from typing import Literal

from netsim.bus import BusSpec, EisaSpec, Way
from netsim.spec import Spec
from netsim.units import BitRate, Count, PositiveBytes, Time


class CardSpec(Spec):
    """A card does `rate` (bit/s) and takes frames of up to `max_frame` bytes, with FCS, on each of up to `max_ports`
    ports. Its `registers` are I/O "ports", where a processor waits for each write, or lie in "memory", where a PCI
    bridge posts them (PCI 2.1, 3.2.5), and have `register_width` bytes. `doorbell_hold` is how long it keeps a
    processor waiting that tells it of a frame to send (ps), beyond the access itself.

    It fits a slot of its `bus_standard` (an "isa" card an EISA slot, too), and has `bus_width` bytes of data lines
    (None: as many as its slot): it gains nothing from a wider bus."""

    rate: BitRate
    max_frame: PositiveBytes
    max_ports: Count = 1
    doorbell_hold: Time = 0
    registers: Way = "ports"
    register_width: Literal[1, 2, 4] = 4
    bus_standard: Literal["pci", "isa", "eisa"] = "pci"
    bus_width: PositiveBytes | None = None

    def sees(self, bus: BusSpec) -> BusSpec:
        """A host's bus as it is from the chip's place."""
        near = self._near(bus)
        narrower = self.bus_width is not None and self.bus_width < near.width
        return near.model_copy(update={"width": self.bus_width}) if narrower else near

    def _near(self, bus: BusSpec) -> BusSpec:
        return bus.for_isa() if isinstance(bus, EisaSpec) and self.bus_standard == "isa" else bus
