"""The congestion window of Linux's TCP, in segments: Reno's, and what all congestion controls share.

Source: Linux 5.17, net/ipv4/tcp_cong.c: tcp_slow_start, tcp_cong_avoid_ai, tcp_reno_cong_avoid; RFC 5681.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

INITIAL: Final = 10  # segments (TCP_INIT_CWND, RFC 6928)
UNLIMITED: Final = 0x7FFFFFFF  # TCP_INFINITE_SSTHRESH


@mypyc_attr(allow_interpreted_subclasses=True)
class Reno:
    """`cwnd` and `ssthresh`, both in segments."""

    def __init__(self) -> None:
        self.cwnd = INITIAL
        self.ssthresh = UNLIMITED
        self._count = 0  # segments acknowledged since it last grew

    @property
    def slow_start(self) -> bool:
        """Whether the window grows by one segment for each segment acknowledged."""
        return self.cwnd < self.ssthresh

    def measured(self, rtt: int, now: int, snd_una: int, snd_nxt: int, rate: int) -> None:
        """A round trip took `rtt` (ps); everything before `snd_una` is acknowledged and everything before `snd_nxt`
        sent; the pacing rate is `rate` bytes/s (0: not known yet)."""

    def acked(self, segments: int, now: int) -> None:
        """`segments` were acknowledged at `now` (ps), and the window was the limit."""
        if self.slow_start:
            grown = min(self.cwnd + segments, self.ssthresh)
            segments -= grown - self.cwnd
            self.cwnd = grown
            if not segments:
                return
        self._grow(self._every(segments, now), segments)

    def _every(self, segments: int, now: int) -> int:
        """The number of acknowledged segments for which the window grows by one."""
        return self.cwnd

    def _grow(self, every: int, segments: int) -> None:
        if self._count >= every:
            self._count = 0
            self.cwnd += 1
        self._count += segments
        if self._count >= every:
            self.cwnd += self._count // every
            self._count %= every

    def lost(self) -> None:
        """Segments were lost: a recovery begins."""
        self.ssthresh = self.cwnd = self._smaller()

    def timed_out(self, again: bool) -> None:
        """No acknowledgement arrived within the retransmission timeout. `again`: the lost segments have already reduced
        `ssthresh` (RFC 5681, 3.1; tcp_enter_loss)."""
        if not again:
            self.ssthresh = self._smaller()
        self.cwnd = 1
        self._count = 0

    def _smaller(self) -> int:
        return max(self.cwnd >> 1, 2)
