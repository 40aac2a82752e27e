"""Losses and jitter, as iperf3's receiver derives them from the numbers and times in its datagrams.

Source: iperf3, src/iperf_udp.c, iperf_udp_recv: a gap in the numbers counts as losses; the jitter is that of RFC 1889,
6.3.1 and A.8 (now RFC 3550, 6.4.1), of transit times in whole microseconds.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo
from netsim.units.constants import US

_GAIN: Final = 16.0


@final
class DatagramTimes:
    """The record of one stream, whose datagrams are numbered from 0 and arrive in order. `_sent` holds the sending
    times (ps) of those whose fate the receiver does not know. The sums of transit times and of the jitter after each
    datagram are in ps."""

    def __init__(self) -> None:
        self._sent: Fifo[int] = Fifo()
        self._next = 0  # number of the first datagram in `_sent`
        self._transit = -1  # of the last one (us)
        self.received = self.lost = 0
        self.jitter = 0.0  # us
        self.transit_sum = self.jitter_sum = 0

    def sent(self, now: int) -> None:
        """The next datagram leaves the process at `now` (ps)."""
        self._sent.append(now)

    def came(self, number: int, now: int) -> None:
        """The process has read datagram `number` at `now` (ps)."""
        self.lost += number - self._next
        while self._next < number:
            self._sent.popleft()
            self._next += 1
        self._next += 1
        self.received += 1
        sent = self._sent.popleft()
        self.transit_sum += now - sent
        self._note(now // US - sent // US)

    def _note(self, transit: int) -> None:
        if self._transit >= 0:
            self.jitter += (abs(transit - self._transit) - self.jitter) / _GAIN
        self._transit = transit
        self.jitter_sum += round(self.jitter * US)
