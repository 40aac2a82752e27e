"""A bus of any standard."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar, Literal

from netsim.bus.chipset import ChipsetSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Width

if TYPE_CHECKING:
    from netsim.bus.slot import Slot

Way = Literal["ports", "memory"]  # where a card has its registers, or the memory that it shares


class BusSpec(Spec):
    """A bus of any `standard`, with its `clock` and the `width` of its data lines in bytes. Data without a standard
    describe a PCI bus."""

    catalogue = "buses"
    tag = "standard"
    takes: ClassVar[tuple[str, ...]] = ()  # the standards of cards that fit its slots

    standard: str = "pci"
    clock: Frequency
    width: Width

    def clocks(self, count: float) -> int:
        """ps of `count` bus clocks."""
        return round(count * PS_PER_S / self.clock)

    @property
    def takes_masters(self) -> bool:
        """Whether a card in one of its slots can be a bus master."""
        return True

    @property
    def most_cards(self) -> int | None:
        """The number of its slots; None: as many as there are cards."""
        return None

    @property
    def refresh(self) -> tuple[int, int]:
        """How often the refresh of memory takes the bus, and for how long (ps); (0, 0): never."""
        return 0, 0

    def holding(self, standards: Collection[str], clock: int | None = None) -> BusSpec:
        """The bus with cards of these standards in its slots, the slowest of which runs at up to `clock` (Hz)."""
        return self

    @abstractmethod
    def under(self, chipset: ChipsetSpec | None) -> Slot:
        """One of its slots, with this chipset between it and memory. Raises ScenarioError if it needs a chipset and has
        none.
        """
