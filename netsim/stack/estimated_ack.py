"""When Linux 2.2 acknowledges data: after a delay that it estimates, in ticks of its clock. No processor time is spent
here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

from netsim.engine import Environment
from netsim.machine import Ticks
from netsim.stack.delayed_ack import DelayedAck
from netsim.stack.round_trip import RoundTrip
from netsim.stack.tcp import ASSUMED_SEGMENT, TcpSegment
from netsim.stack.tcp_receive import Reception
from netsim.stack.tcp_spec import TcpSpec

_BUSY_DELAY: Final = 100 * 10**9  # ps, at most, if a process is inside a call when the delay expires (HZ/10)


class EstimatedAck(DelayedAck):
    """The rule of Linux 2.2.

    Data are acknowledged at once if two segments' worth, by the observed segment size, have arrived since the window
    last moved; if the window would more than double; if data are held beyond a hole; and if they are the first, a
    duplicate or beyond a hole: its quick mode, which ends with the next data in order (__tcp_ack_snd_check,
    tcp_measure_rcv_mss).

    Other data wait for an estimated number of ticks: half the last estimate plus the ticks since the last segment (at
    least one). In a stream the acknowledgement therefore goes out on the next tick or the one after. After a gap longer
    than the retransmission timeout, the estimate is that timeout; a small segment that ends a call limits it
    (tcp_delack_estimator, tcp_remember_ack, tcp_send_delayed_ack).
    """

    __slots__ = (
        "_busy", "_last_size", "_last_tick", "_most", "_round_trip", "_seen", "_small", "_ticks", "estimate",
    )

    def __init__(
        self,
        env: Environment,
        spec: TcpSpec,
        mss: int,
        input: Reception,
        kick: Callable[[], None],
        ticks: Ticks,
        round_trip: RoundTrip,
        busy: Callable[[], bool],
    ) -> None:
        super().__init__(env, spec.delayed_ack, mss, input, kick)
        self._ticks = ticks
        self._round_trip = round_trip
        self._busy = busy  # whether a process is inside a call
        self._small, self._most = ticks.ticks(spec.delayed_ack), ticks.ticks(spec.delayed_ack_limit)
        self.estimate: i64 = 0  # ticks; 0: no data have come yet
        self._last_tick: i64 = 0  # when data last came in order
        self._seen: i64 = ASSUMED_SEGMENT  # assumed segment size (bytes)
        self._last_size: i64 = 0

    def acks_now(self, segment: TcpSegment) -> bool:
        input = self._input
        end = segment.seq + segment.length
        self._measure(segment.length)
        if segment.seq > input.rcv_nxt or end <= input.rcv_nxt or end > input.rcv_wnd_end:
            return True
        first = self.estimate == 0
        self._feed(segment)
        return (
            first
            or end - input.window_moved >= 2 * self._seen
            or input.holds_more(end)
            or input.window_doubles(end, segment)
        )

    def _measure(self, size: i64) -> None:
        """Update the segment size: the largest so far, or that of two long segments in succession."""
        if size > self._seen or (size >= ASSUMED_SEGMENT and size == self._last_size):
            self._seen = size
        self._last_size = size if size >= ASSUMED_SEGMENT else 0

    def _feed(self, segment: TcpSegment) -> None:
        """Update the estimate for one more segment in order."""
        now = self._ticks.count(self._calendar.now)
        if self.estimate == 0:
            self.estimate = 1
        else:
            gap = now - self._last_tick
            if gap < 1:
                gap = 1
            limit = self._ticks.ticks(self._round_trip.rto)
            self.estimate = limit if gap > limit else self.estimate // 2 + gap
        self._last_tick = now
        if segment.push and 2 * segment.length < self._mss and self.estimate > self._small:
            self.estimate = self._small

    def later(self) -> None:
        self._wait(self._most)

    def _wait(self, most: i64) -> None:
        deadline = self._ticks.after(self._calendar.now, self.estimate if self.estimate < most else most)
        if not self._timer.runs or deadline < self._timer.deadline:
            self._timer.set(deadline)

    def expired(self) -> None:
        """The delay has expired; if a process is inside a call, the delay starts again."""
        if self._busy():
            self._wait(self._ticks.ticks(_BUSY_DELAY))
        else:
            self.now()
