"""The common part of all adapters, whether the card moves its data itself or the processor does."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.bus import ClockedSlot, EisaSpec, Slot, Way
from netsim.errors import ScenarioError
from netsim.ethernet.link_spec import CableMedium
from netsim.spec import Spec
from netsim.units import BitRate, Frequency, Parts, PositiveBytes, Time, Width


class CardSpec(Spec):
    """A card runs at `rate` (bit/s) and accepts frames of up to `max_frame` bytes, with FCS, on each of up to
    `max_ports` ports. With `duplex` "half" it sends and receives in turn, so it can share a segment but not use a
    full-duplex link. Its `registers` have `register_width` bytes and are I/O "ports", where a processor waits for each
    write, or are in "memory", where a PCI bridge posts them (PCI 2.1, 3.2.5). On PCI and PCI-X, from the address phase
    of a processor's access, the card takes `register_read_time` to supply the data of a read, and `register_write_time`
    to accept those of a write (ps; 0: a clock of the bus; unused on other buses).

    It fits a slot of its `bus_standard` (an "isa" card also fits an EISA slot; PCI and PCI-X cards fit each other's
    slots, and run as PCI if either card or bus is PCI), and has `bus_width` bytes of data lines (None: those of its
    slot), so it gains nothing from a wider bus. On conventional PCI it runs at up to `bus_clock` (None: at any clock),
    and limits the bus to that (PCI 2.2, 7.5.1: M66EN). Its connectors fit links and segments of one `medium`
    only (None: any); a card for twisted pairs is also accepted on coaxial cable, since it may have a second
    connector."""

    rate: BitRate
    max_frame: PositiveBytes
    max_ports: Parts = 1
    duplex: Literal["full", "half"] = "full"
    registers: Way = "ports"
    register_width: Literal[1, 2, 4] = 4
    register_read_time: Time = 0
    register_write_time: Time = 0
    bus_standard: Literal["pci", "pci-x", "isa", "eisa"] = "pci"
    bus_width: Width | None = None
    bus_clock: Frequency | None = None
    medium: CableMedium | None = None

    @model_validator(mode="after")
    def _as_wide_as_its_standard(self) -> Self:
        """PCI has 32 or 64 data lines."""
        if self.bus_standard in ("pci", "pci-x") and self.bus_width not in (None, 4, 8):
            text = f"{self.bus_width} B is not a width of PCI (2.2, 3.8); allowed: 4 B, 8 B"
            raise ScenarioError(text, address="bus_width")
        return self

    def sees(self, bus: Slot) -> Slot:
        """A host's bus as the chip sees it."""
        near = self._near(bus)
        return near if self.bus_width is None else near.narrowed(self.bus_width)

    def _near(self, bus: Slot) -> Slot:
        if isinstance(bus, ClockedSlot):
            return bus.with_registers(self.register_read_time, self.register_write_time)
        return bus.for_isa() if isinstance(bus, EisaSpec) and self.bus_standard == "isa" else bus
