"""The congestion window of Linux' TCP, in segments: Reno's, and what every way to govern it shares.

Source: Linux 5.17, net/ipv4/tcp_cong.c: tcp_slow_start, tcp_cong_avoid_ai, tcp_reno_cong_avoid; RFC 5681.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

INITIAL: Final = 10  # segments (TCP_INIT_CWND, RFC 6928)
UNLIMITED: Final = 0x7FFFFFFF  # TCP_INFINITE_SSTHRESH


@mypyc_attr(allow_interpreted_subclasses=True)
class Reno:
    """`cwnd` and `ssthresh`."""

    def __init__(self) -> None:
        self.cwnd = INITIAL
        self.ssthresh = UNLIMITED
        self._count = 0  # segments acknowledged since it last grew

    @property
    def slow_start(self) -> bool:
        """Whether it grows by as much as is acknowledged."""
        return self.cwnd < self.ssthresh

    def measured(self, rtt: int, now: int, snd_una: int, snd_nxt: int) -> None:
        """A round trip took that long (ps); bytes before `snd_una` are acknowledged, those before `snd_nxt` sent."""

    def acked(self, segments: int, now: int) -> None:
        """Those were acknowledged at `now` (ps), and the window was what held up more."""
        if self.slow_start:
            grown = min(self.cwnd + segments, self.ssthresh)
            segments -= grown - self.cwnd
            self.cwnd = grown
            if not segments:
                return
        self._grow(self._every(segments, now), segments)

    def _every(self, segments: int, now: int) -> int:
        """For how many segments acknowledged it grows by one."""
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

    def timed_out(self) -> None:
        """Nothing came back for a retransmission timeout."""
        self.ssthresh = self._smaller()
        self.cwnd = 1
        self._count = 0

    def _smaller(self) -> int:
        return max(self.cwnd >> 1, 2)
