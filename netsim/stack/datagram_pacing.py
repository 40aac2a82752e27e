"""When iperf3 sends a datagram at a bit rate: it continues while its mean rate since the start is below the target,
then waits for its pacing timer.

Source: iperf3, src/iperf_api.c, iperf_check_throttle (after each datagram and at each expiry of the timer; in whole
microseconds and bit/s) and iperf_create_send_timers. A process that may not send sleeps, as iperf3 did in select()
before it had threads.
"""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import PS_PER_S, US

_US_PER_S: Final = PS_PER_S // US


@final
class DatagramPacing:
    """Pacing at `rate` bit/s, checked every `timer` (ps) from `start` on."""

    def __init__(self, rate: int, timer: int, start: int) -> None:
        self._rate = rate
        self._timer = timer
        self._start = start

    def green(self, nbytes: int, now: int) -> bool:
        """Whether the process may continue after sending `nbytes`."""
        elapsed = (now - self._start) // US
        return nbytes == 0 or (elapsed > 0 and nbytes * 8 * _US_PER_S // elapsed < self._rate)

    def due(self, now: int) -> int:
        """The bytes that are due by `now`."""
        return self._rate * (now - self._start) // (8 * PS_PER_S)

    def next_check(self, now: int) -> int:
        """When the timer next expires (ps)."""
        return self._start + ((now - self._start) // self._timer + 1) * self._timer
