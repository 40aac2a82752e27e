"""When a TCP receiver acknowledges data: at once, or after a delay. No processor time is spent here."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.engine import Environment, Timer
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_receive import Reception


@mypyc_attr(allow_interpreted_subclasses=True)
class DelayedAck:
    """The rule, its timer, and how far the data received by `input` are acknowledged.

    A segment is acknowledged at once if it brings the unacknowledged data above one full segment (RFC 1122, 4.2.3.2)
    or, with `every_other`, if the segment before it is unacknowledged (Windows 2000, TcpDelAckTicks: every other
    segment, of whatever size); if it is out of order, fills a hole or ends beyond the window (RFC 2581, 4.2); or if it
    directly follows such a segment. Any other is acknowledged by the next segment sent, or by itself once the first
    unacknowledged segment has waited for `delay` ps. (Windows says "up to"; for Linux see netsim.stack.estimated_ack.)

    `due`: an acknowledgement or a new window has to be sent; `kick` starts the deferred work that does so.
    """

    __slots__ = ("_calendar", "_delay", "_every_other", "_input", "_kick", "_mss", "_timer", "due")

    def __init__(
        self,
        env: Environment,
        delay: int,
        mss: int,
        input: Reception,
        kick: Callable[[], None],
        every_other: bool = False,
    ) -> None:
        self._calendar = env.calendar
        self._delay = delay
        self._mss = mss
        self._every_other = every_other
        self._input = input
        self._kick = kick
        self._timer = Timer(env, self.expired)
        self.due = False

    def acks_now(self, segment: TcpSegment) -> bool:
        """Whether `segment`, received with data, is acknowledged at once."""
        input = self._input
        end = segment.seq + segment.length
        if segment.seq != input.rcv_nxt or input.disorder or end > input.rcv_wnd_end:
            return True
        return self._timer.runs if self._every_other else end - input.last_ack_sent > self._mss

    def later(self) -> None:
        """Data have arrived that are not acknowledged at once."""
        if not self._timer.runs:
            self._timer.set(self._calendar.now + self._delay)

    def expired(self) -> None:
        """The delay has expired."""
        self.now()

    def now(self) -> None:
        """Send an acknowledgement, whatever has arrived: the delay has expired, or the window has opened."""
        self.due = True
        self._kick()

    def sent(self) -> None:
        """A segment is sent, which acknowledges everything received in order."""
        self.due = False
        self._timer.cancel()
        self._input.last_ack_sent = self._input.rcv_nxt
