"""The retransmission timeout (RFC 2988)."""

from __future__ import annotations

from netsim.stack.tcp_spec import TcpSpec


class RoundTrip:
    """The smoothed round-trip time (`srtt`), its mean deviation (`rttvar`), and `rto`: how long the sender waits for an
    acknowledgement before it retransmits (all in ps; see TcpSpec)."""

    __slots__ = ("_longer", "_min_rto", "_tick", "rto", "rttvar", "srtt")

    def __init__(self, spec: TcpSpec) -> None:
        self.srtt = self.rttvar = 0
        self._tick = spec.rtt_tick
        self._longer = spec.rto == "longer"
        self._min_rto = self.rto = spec.min_timeout

    def expect(self, sample: int) -> None:
        """The handshake, before the test, took `sample`: 2.2 without its variables, which the first data set anew."""
        self.rto = max(3 * sample, self._min_rto)

    def measure(self, sent: int, now: int, window: int) -> None:
        """Data sent at `sent` are acknowledged; `window` is the congestion window in segments."""
        tick = self._tick
        sample = max((now // tick - sent // tick) * tick, tick)
        if self.srtt:
            self.rttvar += (abs(self.srtt - sample) - self.rttvar) // 4
            self.srtt += (sample - self.srtt) // 8
        else:
            self.srtt, self.rttvar = sample, sample if self._longer else sample // 2
        self.rto = max(self._timeout(window), self._min_rto)

    def _timeout(self, window: int) -> int:
        if not self._longer:
            return self.srtt + max(4 * self.rttvar, self._tick)
        rto = self.srtt + 4 * self.rttvar
        return rto + rto // 4 + (rto >> window - 1)
