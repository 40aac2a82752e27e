"""What hosts and cards ask of any bus."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from netsim.bus.tenure import Tenure
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, PositiveBytes

Way = Literal["ports", "memory"]  # where a card has its registers, or what it lends of its memory


class BusSpec(Spec):
    """A bus of any `standard`, with its `clock` and the `width` of its data lines in bytes. Data without a standard
    are those of a PCI bus."""

    catalogue = "buses"
    tag = "standard"
    takes: ClassVar[tuple[str, ...]] = ()  # the standards of cards that fit its slots

    standard: str = "pci"
    clock: Frequency
    width: PositiveBytes

    def clocks(self, count: float) -> int:
        """ps of `count` bus clocks."""
        return round(count * PS_PER_S / self.clock)

    @abstractmethod
    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps in which a master that has the bus to itself moves `nbytes`, in bursts of at most `max_burst` bytes.

        `write` is the master's view: True when the adapter writes to memory (reception).
        """

    def shared_time(self, nbytes: int, write: bool, pieces: int) -> int:
        """ps for one piece of `nbytes`, of `pieces` moved in one burst."""
        return self.transfer_time(pieces * nbytes, write) // pieces

    @abstractmethod
    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """How many bursts that takes."""

    @abstractmethod
    def restart_time(self, write: bool, max_burst: int) -> int:
        """ps it costs a master to take up again a transfer that was cut: nothing if it stops between two bursts."""

    @abstractmethod
    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """When a master has to leave the bus to others."""

    @abstractmethod
    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus for a processor's `reads` from a card and `writes` to it, each of `width` bytes. A card with
        `zero_wait` does without the wait state that its bus would give it."""

    @abstractmethod
    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        """ps for which a processor waits for that many accesses, beside the time that they take of the bus."""

    def posts(self, way: Way) -> bool:
        """Whether a processor's writes are left to the bridge, which makes them while it goes on."""
        return False
