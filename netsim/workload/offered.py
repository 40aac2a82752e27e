"""When a process sends its datagrams at an offered load."""

from __future__ import annotations

from typing import final

from netsim.units import PS_PER_S


@final
class Offered:
    """Datagrams of `size` bytes are due at even intervals from the first one on, at `load` bit/s; without a load, each
    is due at once. A process that is late sends without a pause until it has caught up."""

    def __init__(self, size: int, load: int | None) -> None:
        self._interval = max(1, round(size * 8 * PS_PER_S / load)) if load else 0
        self._due = 0  # when the next datagram is due
        self._in_time = 0  # when the process last asked for one that was not due, or had become so within an interval

    def next_due(self, now: int) -> int:
        """When the next datagram is due (ps), which may be in the past."""
        due = self._due or now
        self._due = due + self._interval
        if now - due <= self._interval:
            self._in_time = now
        return due

    def unsent(self, now: int, since: int) -> int:
        """The number of datagrams that are due and not begun, apart from the next one; 0 if the process has been in
        time `since` then (ps): it was late only for a while."""
        late = self._interval and self._due and self._in_time < since
        return max(0, (now - self._due) // self._interval) if late else 0
