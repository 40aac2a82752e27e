"""When iperf3 sends a datagram at a bit rate: it goes on while what it has sent since the beginning is less than the
rate, and then waits for its pacing timer.

Source: iperf3, src/iperf_api.c, iperf_check_throttle (after each datagram, and whenever the timer is over; whole
microseconds and bit/s) and iperf_create_send_timers. A process that may not send sleeps, as iperf3 did in select before
it had threads.
"""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import PS_PER_S, US

_US_PER_S: Final = PS_PER_S // US


@final
class DatagramPacing:
    """At `rate` bit/s, checked each `timer` (ps) from `start` on."""

    def __init__(self, rate: int, timer: int, start: int) -> None:
        self._rate = rate
        self._timer = timer
        self._start = start

    def green(self, nbytes: int, now: int) -> bool:
        """Whether it goes on after n bytes."""
        elapsed = (now - self._start) // US
        return nbytes == 0 or (elapsed > 0 and nbytes * 8 * _US_PER_S // elapsed < self._rate)

    def next_check(self, now: int) -> int:
        """When the timer is over next (ps)."""
        return self._start + ((now - self._start) // self._timer + 1) * self._timer
