"""When a TCP receiver acknowledges data: at once, or a while later. No processor time is spent here."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.engine import Environment, Timer
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_receive import Reception


@mypyc_attr(allow_interpreted_subclasses=True)
class DelayedAck:
    """The rule, its timer, and up to where `input` is acknowledged.

    A segment is acknowledged at once if with it more than one full segment is unacknowledged (RFC 1122, 4.2.3.2), or
    with `every_other` if the one before it is (Windows 2000, TcpDelAckTicks: every other segment, of whatever size), if
    it is not in order, fills a hole or lies beyond the window (RFC 2581, 4.2), or if it is the next after such a one.
    Any other is acknowledged with the next segment that is sent anyway, or alone when the first one that waits has done
    so for `delay` ps. (Windows says "up to"; for Linux see netsim.stack.estimated_ack.)

    `due`: an acknowledgement, or a new window, has to go out, for which `kick` starts deferred work.
    """

    __slots__ = ("_calendar", "_delay", "_every_other", "_input", "_kick", "_mss", "_timer", "due", "last_ack_sent")

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
        self.last_ack_sent = 0  # RFC 1323, 3.4: the first byte that the peer has not been notified of

    def at_once(self, segment: TcpSegment) -> bool:
        """Whether `segment`, which comes in with data, is acknowledged at once."""
        input = self._input
        end = segment.seq + segment.length
        if segment.seq != input.rcv_nxt or input.disorder or end > input.rcv_wnd_end:
            return True
        return self._timer.runs if self._every_other else end - self.last_ack_sent > self._mss

    def later(self) -> None:
        """Data have come in that are not acknowledged at once."""
        if not self._timer.runs:
            self._timer.set(self._calendar.now + self._delay)

    def expired(self) -> None:
        """The delay is over."""
        self.now()

    def now(self) -> None:
        """Let a segment go out, whatever has come in: the delay is over, or the window has opened."""
        self.due = True
        self._kick()

    def sent(self) -> None:
        """A segment goes out, and acknowledges all that is in order."""
        self.due = False
        self._timer.cancel()
        self.last_ack_sent = self._input.rcv_nxt
