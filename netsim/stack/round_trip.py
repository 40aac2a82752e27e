"""The retransmission timeout (RFC 2988)."""

from __future__ import annotations


class RoundTrip:
    """The smoothed round-trip time (`srtt`), its mean deviation (`rttvar`), and `rto`: how long the sender waits for an
    acknowledgement before it retransmits, at least `min_rto` (all in ps)."""

    __slots__ = ("_min_rto", "rto", "rttvar", "srtt")

    def __init__(self, min_rto: int) -> None:
        self.srtt = self.rttvar = 0
        self._min_rto = self.rto = min_rto

    def expect(self, sample: int) -> None:
        """The handshake, before the test, took `sample`: 2.2 without its variables, which the first data set anew."""
        self.rto = max(3 * sample, self._min_rto)

    def measure(self, sample: int) -> None:
        """One more sample, smoothed (RFC 2988, 2.2 and 2.3)."""
        if self.srtt:
            self.rttvar += (abs(self.srtt - sample) - self.rttvar) // 4
            self.srtt += (sample - self.srtt) // 8
        else:
            self.srtt, self.rttvar = sample, sample // 2
        rto = self.srtt + 4 * self.rttvar
        self.rto = rto if rto > self._min_rto else self._min_rto
