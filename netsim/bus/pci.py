"""Conventional PCI (PCI Local Bus Specification 2.1/2.2): one shared bus, several masters, one burst at a time.

This module covers only the bus itself as in the standard; netsim.bus.chipset covers the chipset behind it, and both
together are a slot (netsim.bus.pci_slot).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.bus.bus_spec import BusSpec
from netsim.bus.chipset import ChipsetSpec
from netsim.bus.pci_slot import PciSlot
from netsim.errors import ScenarioError
from netsim.units import LatencyTimer, format_quantity

FASTEST = 66_666_667  # Hz: 15 ns (7.6.4.1)
_FASTEST = 66_700_000  # the same, rounded as usual


class PciSpec(BusSpec):
    """A PCI bus: `clock` up to 66.67 MHz, `width` of 4 or 8 bytes, `latency_timer` in clocks, as firmware or drivers
    set it in masters."""

    takes: ClassVar[tuple[str, ...]] = ("pci", "pci-x")

    standard: Literal["pci"] = "pci"
    latency_timer: LatencyTimer

    @model_validator(mode="after")
    def _conventional(self) -> Self:
        """Clock and width are those of the standard."""
        if self.clock > _FASTEST:
            text = f"{format_quantity('frequency', self.clock)} is not a clock of conventional PCI (2.2, 7.6.4.1)"
            raise ScenarioError(f"{text}; allowed: up to 66.67 MHz", address="clock")
        if self.width not in (4, 8):
            text = f"{format_quantity('bytes', self.width)} is not a width of PCI (2.2, 3.8); allowed: 4 B, 8 B"
            raise ScenarioError(text, address="width")
        return self

    def holding(self, standards: Collection[str], clock: int | None = None) -> BusSpec:
        """The bus at the clock of its slowest card (2.2, 7.5.1: a card for 33 MHz connects M66EN to ground)."""
        slower = clock is not None and clock < self.clock
        return self.unchecked(clock=clock) if slower else self

    def under(self, chipset: ChipsetSpec | None) -> PciSlot:
        if chipset is None:
            names = ", ".join(catalog.names("chipsets"))
            raise ScenarioError(f"needed for a PCI bus; allowed: {names}, or a table", address="chipset")
        return PciSlot.model_construct(
            clock=self.clock, width=self.width, latency_timer=self.latency_timer, chipset=chipset
        )
