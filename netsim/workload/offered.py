"""When a process sends its datagrams at an offered load."""

from __future__ import annotations

from typing import final

from netsim.units import PS_PER_S


@final
class Offered:
    """Datagrams of `size` bytes are due at even intervals from the first one on, at `load` bit/s; without a load, each
    is due at once. A process that is late sends without a pause until it has caught up."""

    def __init__(self, size: int, load: int | None) -> None:
        self._interval = round(size * 8 * PS_PER_S / load) if load else 0
        self._due = 0  # when the next datagram is due

    def next_due(self, now: int) -> int:
        """When the next datagram is due (ps), which may be in the past."""
        due = self._due or now
        self._due = due + self._interval
        return due
