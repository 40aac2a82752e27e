"""The interface of any bus to cards, and to processors that access them."""

from __future__ import annotations

from typing import Protocol

from netsim.bus.bus_spec import Way
from netsim.bus.tenure import Tenure


class Slot(Protocol):
    """A bus as a card in one of its slots sees it, with everything behind it: times are those of an idle machine."""

    @property
    def width(self) -> int:
        """Bytes of data lines."""

    @property
    def refresh(self) -> tuple[int, int]:
        """How often the refresh of memory takes the bus, and for how long (ps); (0, 0): never."""

    def clocks(self, count: float) -> int:
        """ps of `count` bus clocks."""

    def narrowed(self, width: int) -> Slot:
        """The same slot with at most `width` bytes of data lines."""

    # ---- a master's transfers; `write` is the master's view: True when it writes to memory (reception) ----

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps for which a master occupies an otherwise idle bus to move `nbytes`, in bursts of at most `max_burst`
        bytes."""

    def shared_time(self, nbytes: int, write: bool, pieces: int, max_burst: int | None = None) -> int:
        """ps for one piece of `nbytes`, when `pieces` of them move together, in one burst or several."""

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """Additional ps in which the master waits for memory, and leaves the bus to others."""

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """The number of bursts that it takes."""

    def restart_time(self, write: bool, max_burst: int) -> int:
        """ps that it costs a master to resume a transfer that was cut: none if it stops between two bursts."""

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """When a master has to leave the bus to others."""

    # ---- a processor's accesses ----

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus for a processor's `reads` from a card and `writes` to it, each of `width` bytes. A card with
        `zero_wait` omits the wait state that its bus would insert."""

    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        """ps for which a processor waits for `accesses` accesses, in addition to their time on the bus."""

    def posts(self, way: Way) -> bool:
        """Whether a processor's writes are left to the bridge, which makes them while it continues."""
