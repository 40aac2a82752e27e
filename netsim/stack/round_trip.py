"""The retransmission timeout (RFC 2988)."""

from __future__ import annotations

from netsim.stack.tcp_spec import TcpSpec


class RoundTrip:
    """The smoothed round-trip time (`srtt`), its mean deviation (`rttvar`), and `rto`: how long the sender waits for an
    acknowledgement before it retransmits (all in ps; see TcpSpec). Without timestamps it times one segment at a time
    (`sent`), and not if that is sent again, since its acknowledgement could be that of either copy (Karn)."""

    __slots__ = ("_longer", "_min_rto", "_tick", "_timed_at", "_timed_end", "rto", "rttvar", "srtt")

    def __init__(self, spec: TcpSpec) -> None:
        self.srtt = self.rttvar = 0
        self._tick = spec.rtt_tick
        self._longer = spec.rto == "longer"
        self._min_rto = self.rto = spec.min_timeout
        self._timed_end = self._timed_at = 0  # just after the timed segment (0: none); when it was sent

    def expect(self, sample: int) -> None:
        """The handshake, before the test, took `sample`: 2.2 without its variables, which the first data set anew."""
        self.rto = max(3 * sample, self._min_rto)

    def sent(self, end: int, now: int) -> None:
        """A segment up to `end` is sent for the first time."""
        if not self._timed_end:
            self._timed_end, self._timed_at = end, now

    def sent_again(self, seq: int) -> None:
        """The segment that begins with `seq` is sent again."""
        if seq < self._timed_end:
            self._timed_end = 0

    def timed(self, snd_una: int) -> int:
        """When the segment was sent (ps) whose round trip is now over, as everything before `snd_una` is acknowledged;
        -1: none."""
        if not 0 < self._timed_end <= snd_una:
            return -1
        self._timed_end = 0
        return self._timed_at

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
