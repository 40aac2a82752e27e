"""What cards, and processors that reach for them, ask of any bus."""

from __future__ import annotations

from typing import Protocol

from netsim.bus.bus_spec import Way
from netsim.bus.tenure import Tenure


class Slot(Protocol):
    """A bus as a card in one of its slots sees it, with all that is behind it: times are those of an idle machine."""

    @property
    def width(self) -> int:
        """Bytes of data lines."""

    @property
    def refresh(self) -> tuple[int, int]:
        """How often the refresh of memory takes the bus, and for how long (ps); (0, 0): never."""

    def clocks(self, count: float) -> int:
        """ps of `count` bus clocks."""

    def narrowed(self, width: int) -> Slot:
        """The same with no more than `width` bytes of data lines."""

    # ---- a master's transfers; `write` is its view: True when it writes to memory (reception) ----

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps for which a master that has the bus to itself takes it to move `nbytes`, in bursts of at most `max_burst`
        bytes."""

    def shared_time(self, nbytes: int, write: bool, pieces: int, max_burst: int | None = None) -> int:
        """ps for one piece of `nbytes`, of `pieces` moved together, in one burst or several."""

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps beside those in which the master waits for memory, and leaves the bus to others."""

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """How many bursts it takes."""

    def restart_time(self, write: bool, max_burst: int) -> int:
        """ps it costs a master to take up again a transfer that was cut: nothing if it stops between two bursts."""

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """When a master has to leave the bus to others."""

    # ---- a processor's accesses ----

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus for a processor's `reads` from a card and `writes` to it, each of `width` bytes. A card with
        `zero_wait` does without the wait state that its bus would give it."""

    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        """ps for which a processor waits for that many accesses, beside the time that they take of the bus."""

    def posts(self, way: Way) -> bool:
        """Whether a processor's writes are left to the bridge, which makes them while it continues."""
