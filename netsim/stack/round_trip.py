"""How long an acknowledgement may take (RFC 2988)."""

from __future__ import annotations


class RoundTrip:
    """The round-trip time as measured, and `timeout`: when to send again what was not acknowledged, `lowest` at the
    least (all ps)."""

    __slots__ = ("_deviation", "_lowest", "_smoothed", "timeout")

    def __init__(self, lowest: int) -> None:
        self._smoothed = self._deviation = 0
        self._lowest = self.timeout = lowest

    def measure(self, sample: int) -> None:
        """One more sample, smoothed (RFC 2988, 2.2 and 2.3)."""
        if self._smoothed:
            self._deviation += (abs(self._smoothed - sample) - self._deviation) // 4
            self._smoothed += (sample - self._smoothed) // 8
        else:
            self._smoothed, self._deviation = sample, sample // 2
        timeout = self._smoothed + 4 * self._deviation
        self.timeout = timeout if timeout > self._lowest else self._lowest
