"""A connection's round trip, and the retransmission timeout that follows from it (RFC 6298; Linux 5.17, tcp.h:
TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX)."""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import MS, S

_FIRST: Final = 1 * S
_LEAST: Final = 200 * MS
_MOST: Final = 120 * S


@final
class StreamRtt:
    """The `smoothed` round trip and the `timeout` (ps); the number of `samples` and their `total` (ps)."""

    def __init__(self) -> None:
        self.smoothed = 0
        self._variation = 0
        self.timeout = _FIRST
        self.samples = self.total = 0

    def measured(self, sample: int) -> None:
        """A round trip took `sample` (ps)."""
        self.samples += 1
        self.total += sample
        if not self.smoothed:
            self.smoothed, self._variation = sample, sample // 2
        else:
            self._variation += (abs(self.smoothed - sample) - self._variation) // 4
            self.smoothed += (sample - self.smoothed) // 8
        self.timeout = min(max(self.smoothed + max(4 * self._variation, _LEAST), _LEAST), _MOST)

    def probe_time(self, jiffy: int, alone: bool) -> int:
        """The time (ps) until a tail loss probe (tcp_output.c, tcp_schedule_loss_probe): two round trips and two
        jiffies or, if only one segment is on its way, the longest delay of an acknowledgement; no later than the
        timeout."""
        return min(2 * self.smoothed + (_LEAST if alone else 2 * jiffy), self.timeout)

    def back_off(self) -> None:
        """The timeout has expired: double it."""
        self.timeout = min(2 * self.timeout, _MOST)
