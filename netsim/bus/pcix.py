"""PCI-X (PCI-X Addendum to the PCI Local Bus Specification 1.0a): the bus of fast slots from 1999 to 2004.

Cards of conventional PCI fit its slots; with one of them in any slot the bus runs as conventional PCI for all (chapter
6). As on PCI, the chipset is behind it, and both together are a slot (netsim.bus.pcix_slot).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.bus.bus_spec import BusSpec
from netsim.bus.chipset import ChipsetSpec
from netsim.bus.pci import FASTEST, PciSpec
from netsim.bus.pcix_slot import PcixSlot
from netsim.errors import ScenarioError
from netsim.units import LatencyTimer, Parts, format_quantity

_SLOWEST, _FASTEST = 50_000_000, 133_400_000  # Hz: modes PCI-X 66 and 133, rounded as usual


class PcixSpec(BusSpec):
    """A PCI-X bus: `clock` from 50 to 133 MHz, `width` of 4 or 8 bytes, `latency_timer` in clocks. The faster it is,
    the fewer `slots` it can have (None: as many as there are cards)."""

    takes: ClassVar[tuple[str, ...]] = ("pci", "pci-x")

    standard: Literal["pci-x"] = "pci-x"
    latency_timer: LatencyTimer
    slots: Parts | None = None

    @model_validator(mode="after")
    def _of_the_standard(self) -> Self:
        """Clock and width are those of the standard."""
        if not _SLOWEST <= self.clock <= _FASTEST:
            text = f"{format_quantity('frequency', self.clock)} is not a clock of PCI-X 1.0"
            raise ScenarioError(f"{text}; allowed: 50 to 133.33 MHz", address="clock")
        if self.width not in (4, 8):
            text = f"{format_quantity('bytes', self.width)} is not a width of PCI-X; allowed: 4 B, 8 B"
            raise ScenarioError(text, address="width")
        return self

    @property
    def most_cards(self) -> int | None:
        return self.slots

    def holding(self, standards: Collection[str], clock: int | None = None) -> BusSpec:
        """A conventional bus, at 66 MHz at most, if one of its cards is conventional."""
        if "pci" not in standards:
            return self
        shared = {name: getattr(self, name) for name in PciSpec.model_fields if name != "standard"}
        return PciSpec.model_construct(**shared | {"clock": min(self.clock, FASTEST, clock or FASTEST)})

    def under(self, chipset: ChipsetSpec | None) -> PcixSlot:
        if chipset is None:
            names = ", ".join(catalog.names("chipsets"))
            raise ScenarioError(f"needed for a PCI-X bus; allowed: {names}, or a table", address="chipset")
        if chipset.split is None:
            text = "needed for a PCI-X bus; allowed: a table with decode, completion, outstanding"
            raise ScenarioError(text, address="chipset.split")
        return PcixSlot.model_construct(
            clock=self.clock, width=self.width, latency_timer=self.latency_timer, chipset=chipset
        )
