"""CUBIC with HyStart: the window grows by a cubic function of the time since the last loss.

Source: RFC 8312, and Linux 5.17, net/ipv4/tcp_cubic.c (bictcp_update, bictcp_recalc_ssthresh, hystart_update,
hystart_ack_delay; Linux 5.4 for the clock in milliseconds), whose integer arithmetic is repeated here: times are in
jiffies, C is 41 / 1024 x 10 for a round trip of 100 ms.
"""

from __future__ import annotations

from typing import Final

from netsim.stack.congestion_window import Reno
from netsim.units.constants import PS_PER_S, US

BETA: Final = 717  # of 1024
SCALE: Final = 410  # 1024 C: 41 x 10
_ROOT: Final = (1 << 40) // SCALE
_FRIENDLY: Final = 8 * (1024 + BETA) // 3 // (1024 - BETA)
_UNKNOWN: Final = 20  # grows by at least 5 % a round trip while no loss has shown the path's limit
_LOW_WINDOW: Final = 16  # segments from which HyStart is active
_SAMPLES: Final = 8
_LEAST, _MOST = 4000 * US, 16_000 * US  # limits of the rise in delay that ends slow start
_TRAIN: Final = 2000 * US  # acknowledgements no further apart than this form a train
_BATCHES: Final = 4 * 65_536  # bytes: four of the largest packets (GSO_MAX_SIZE)
_LONGEST: Final = 1000 * US


def cube_root(number: int) -> int:
    """The integer part of the cube root."""
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if middle**3 <= number:
            low = middle
        else:
            high = middle
    return low


def cubic(origin: int, k: int, elapsed: int) -> int:
    """W(t) = C (t - K)^3 + W_max (RFC 8312, equation 1), in segments; `k` and `elapsed` in 1 / 1024 s."""
    offset = abs(elapsed - k)
    delta = SCALE * offset**3 >> 40
    return origin - delta if elapsed < k else origin + delta


def _batched(rate: int) -> int:
    """The time (ps) that acknowledgements of a stream with this pacing rate may be held back in batches
    (hystart_ack_delay); 0: the rate is not known."""
    return min(_BATCHES * PS_PER_S // rate, _LONGEST) if rate else 0


class Cubic(Reno):
    """CUBIC on a system with `hz` jiffies per second. HyStart reads a clock in units of `clock` (ps): one in ms
    is that of kernels before 5.6, which don't allow for acknowledgements in batches."""

    def __init__(self, hz: int, clock: int = US) -> None:
        super().__init__()
        self._clock = clock
        self._hz = hz
        self._jiffy = PS_PER_S // hz
        self._before = 0  # the window before the last loss, or less if it was shrinking
        self._origin = self._k = self._reno = self._acked = 0
        self._epoch = -1  # jiffies
        self._updated = -1
        self._last = 0  # the window at that time
        self._step = 1
        self._delay_min = 0  # ps
        self._found = False
        self._round_end = self._round_start = self._last_ack = 0
        self._round_rtt = 0
        self._samples = 0

    # --- HyStart ------------------------------------------------------------------------------------------------------

    def measured(self, rtt: int, now: int, snd_una: int, snd_nxt: int, rate: int) -> None:
        """See Reno."""
        if self._epoch >= 0 and now // self._jiffy - self._epoch < self._hz:
            return
        rtt = max(rtt // (self._clock // 8), 1) * (self._clock // 8)  # in eighths, as `delay_min` has been kept
        now = now // self._clock * self._clock
        if not self._delay_min or rtt < self._delay_min:
            self._delay_min = rtt
        if not self.slow_start or self._found:
            return
        if snd_una > self._round_end:
            self._round_end, self._round_start, self._last_ack = snd_nxt, now, now
            self._round_rtt = self._samples = 0
        if self.cwnd >= _LOW_WINDOW:
            self._look(rtt, now, rate)

    def _look(self, rtt: int, now: int, rate: int) -> None:
        if now - self._last_ack <= _TRAIN:
            self._last_ack = now
            threshold = self._delay_min + (_batched(rate) if self._clock == US else 0)
            if now - self._round_start > threshold // 2 // self._clock * self._clock:
                self._end_slow_start()
        if not self._round_rtt or rtt < self._round_rtt:
            self._round_rtt = rtt
        if self._samples < _SAMPLES:
            self._samples += 1
        elif self._round_rtt > self._delay_min + min(max(self._delay_min // 8, _LEAST), _MOST):
            self._end_slow_start()

    def _end_slow_start(self) -> None:
        self._found = True
        self.ssthresh = self.cwnd

    # --- growth -------------------------------------------------------------------------------------------------------

    def _every(self, segments: int, now: int) -> int:
        jiffies = now // self._jiffy
        self._acked += segments
        if self._last == self.cwnd and jiffies - self._updated <= self._hz // 32 and self._updated >= 0:
            return self._step
        if self._epoch < 0 or jiffies != self._updated:
            self._update(segments, jiffies)
        self._be_friendly()
        self._step = max(self._step, 2)
        return self._step

    def _update(self, segments: int, jiffies: int) -> None:
        self._last, self._updated = self.cwnd, jiffies
        if self._epoch < 0:
            self._begin_epoch(segments, jiffies)
        elapsed = (jiffies - self._epoch - -self._delay_min // self._jiffy) * 1024 // self._hz
        target = cubic(self._origin, self._k, elapsed)
        self._step = self.cwnd // (target - self.cwnd) if target > self.cwnd else 100 * self.cwnd
        if not self._before and self._step > _UNKNOWN:
            self._step = _UNKNOWN

    def _begin_epoch(self, segments: int, jiffies: int) -> None:
        self._epoch, self._acked, self._reno = jiffies, segments, self.cwnd
        self._k = cube_root(_ROOT * (self._before - self.cwnd)) if self._before > self.cwnd else 0
        self._origin = max(self._before, self.cwnd)

    def _be_friendly(self) -> None:
        """Grow at least as fast as Reno with the same mean window (RFC 8312, 4.2)."""
        each = max(1, self.cwnd * _FRIENDLY >> 3)
        if self._acked > each:
            rounds = (self._acked - 1) // each
            self._acked -= rounds * each
            self._reno += rounds
        if self._reno > self.cwnd:
            self._step = min(self._step, self.cwnd // (self._reno - self.cwnd))

    def _smaller(self) -> int:
        self._epoch = -1
        self._before = self.cwnd * (1024 + BETA) // 2048 if self.cwnd < self._before else self.cwnd
        return max(self.cwnd * BETA // 1024, 2)

    def timed_out(self, again: bool) -> None:
        """See Reno. All state is reset."""
        super().timed_out(again)
        self._epoch = -1
        self._before = self._delay_min = 0
        self._found = False
