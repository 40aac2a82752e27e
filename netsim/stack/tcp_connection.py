"""A TCP connection that is opened and closed (RFC 793, 3.4 and 3.5): the segments before and after its data.

The socket handles the data in between (netsim.stack.tcp_socket). Segments without data that open or close the
connection are numbered as in the standard, except for the SYN, which precedes byte 0. They wait in the socket's backlog
like all others, so none overtakes data there. The end that closes first keeps TIME-WAIT; its port numbers are free for
another connection as soon as both ends have closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from mypy_extensions import i64

from netsim.engine import Timer
from netsim.machine import Work
from netsim.machine.work import NOTHING
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_connection_costs import ConnectionWorks
from netsim.stack.tcp_handler import TcpHandler
from netsim.stack.tcp_socket import TcpSocket

FIN: Final = 0x01
SYN: Final = 0x02
ACK: Final = 0x10

LISTEN, SYN_SENT, SYN_RECEIVED, ESTABLISHED, CLOSED = range(5)


class ControlSegment(TcpSegment):
    """A segment with these `flags` and no data. Its `ack` is that of the data; `finish` says whether it also
    acknowledges the FIN."""

    __slots__ = ("finish", "flags")

    def __init__(self, size: int, socket: TcpSocket, seq: int, flags: int, finish: bool) -> None:
        reading = socket.input
        window, now = reading.offer(), socket.host.calendar.now
        super().__init__(size, socket.peer_port, seq, 0, reading.rcv_nxt, window, now, reading.ts_recent)
        self.flags = flags
        self.finish = finish


class _Act(NamedTuple):
    """A step of the process: once `ready`, it does a work (`awake`, or `slept` if it slept until then), and `effect`
    follows."""

    ready: Callable[[], bool]
    awake: Callable[[], Work]
    slept: Callable[[], Work]
    effect: Callable[[], None]


class Connection(TcpHandler):
    """One end of a connection, whose segments go through `socket`. `closed` is called when both FINs are known to both
    ends, as far as this end can tell."""

    def __init__(self, socket: TcpSocket, works: ConnectionWorks, closed: Callable[[], None]) -> None:
        self.socket, self.works = socket, works
        self._host = host = socket.host
        self._closed = closed
        self.state = LISTEN
        self.came_to_end = False  # the peer's FIN has arrived, and all data before it
        self._fin_seq: i64 = -1  # of the peer's FIN; -1: it has not arrived
        self._sent_fin = self._fin_acked = self._closing = False
        self.control_segments = 0
        self._timer, self._tries, self._unanswered = Timer(host.env, self._again), 0, 0
        self._steps: list[_Act] = []
        self._slept = False
        self._then: Callable[[], None] = lambda: None
        self._process = host.caller(self._begin, self._end)
        self._last = host.deferred(self._begin_last, self._end_last)
        socket.handler = self

    # --- the process -------------------------------------------------------------------------------------------------

    def open(self, then: Callable[[], None]) -> None:
        """Make a socket and connect it; `then` is called when it is connected."""
        self._call(
            then,
            _Act(_always, self._opening, self._opening, self._ask),
            _Act(self._is_there, _no_work, self._wake_up, _nothing),
        )

    def accept(self, then: Callable[[], None]) -> None:
        """Wait for the peer to connect."""
        self._call(then, _Act(self._is_there, self._accepting, self._accepting_late, _nothing))

    def read_end(self, then: Callable[[], None]) -> None:
        """Read until the peer has closed."""
        self._call(then, _Act(self._is_over, self._ending, self._ending_late, _nothing))

    def close(self, then: Callable[[], None]) -> None:
        """Close this end; the call does not wait for the peer."""
        self._call(then, _Act(_always, self._closing_down, self._closing_down, self._close))

    def _is_there(self) -> bool:
        return self.state == ESTABLISHED

    def _is_over(self) -> bool:
        return self.came_to_end

    def _opening(self) -> Work:
        return self.works.opened(self.socket.device.straight())

    def _wake_up(self) -> Work:
        return self.socket.works.wake_up

    def _accepting(self) -> Work:
        return self.works.accepted

    def _accepting_late(self) -> Work:
        return self.works.accepted_late

    def _ending(self) -> Work:
        return self.works.ended

    def _ending_late(self) -> Work:
        return self.works.ended_late

    def _closing_down(self) -> Work:
        return self.works.closed(self.socket.device.straight())

    def _call(self, then: Callable[[], None], *steps: _Act) -> None:
        self._then = then
        self._steps = list(steps)
        self._host.wake(self._process)

    def _begin(self) -> Work | None:
        if not self._steps:
            return None
        step = self._steps[0]
        if not step.ready():
            self._slept = True
            return None
        slept, self._slept = self._slept, False
        return step.slept() if slept else step.awake()

    def _end(self) -> bool:
        self._steps.pop(0).effect()
        if self._steps:
            return True
        self._process.returns = True
        self._then()  # the process may make another call
        return bool(self._steps)

    def _wake(self) -> None:
        if self._steps:
            self._host.wake(self._process)

    # --- segments out ------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self.state = SYN_SENT
        self._transmit(SYN)

    def _close(self) -> None:
        self._closing = True
        self.socket.output.close()
        self._finish()

    def _finish(self) -> None:
        """Send a FIN, if the process has closed and all data have been sent."""
        if self._may_finish():
            self._sent_fin = True
            self._transmit(FIN | ACK)

    def _may_finish(self) -> bool:
        output = self.socket.output
        return self._closing and not self._sent_fin and output.snd_nxt == output.write_seq

    def all_sent(self) -> None:
        if self._may_finish():
            self._host.defer(self._last)

    def _begin_last(self) -> Work | None:
        """Acknowledge the peer's FIN, which had to wait for data before it (Linux 2.2: tcp_ofo_queue), or send the FIN
        after the last data, which the windows held back (Linux 2.2 sends it with them: tcp_send_fin)."""
        if self._is_at_end():
            return self.socket.works.segment(0, self.socket.device.straight(), alone=False)
        return NOTHING if self._may_finish() else None

    def _end_last(self) -> bool:
        if self._is_at_end():
            self._come_to_end()
            return True
        self._finish()
        return False

    def _transmit(self, flags: int) -> None:
        socket, costs = self.socket, self.works.costs
        output = socket.output
        size = costs.syn_size if flags & SYN else costs.size
        seq = output.write_seq + (self._sent_fin and not flags & FIN)
        frame = ControlSegment(size, socket, seq, flags, self.came_to_end)
        socket.delayed_ack.sent()
        if flags & (SYN | FIN):
            self._unanswered = flags
            timeout = costs.spec.syn_timeout if flags & SYN else output.round_trip.rto
            self._timer.set(self._host.calendar.now + min(timeout << self._tries, costs.costs.spec.max_timeout))
        self.control_segments += 1
        socket.device.put(frame)

    def _again(self) -> None:
        """The last segment was not answered: send it again."""
        self._tries += 1
        self._transmit(self._unanswered)

    def _heard(self) -> None:
        """The last segment was answered."""
        self._timer.cancel()
        self._tries = 0

    # --- segments in -------------------------------------------------------------------------------------------------

    def arrival(self, frame: TcpSegment, checked: bool = False) -> Work:
        if not isinstance(frame, ControlSegment):
            return self.socket.arrival(frame, checked)
        works, port = self.works, self.socket.device.straight()
        if frame.flags == SYN:
            return works.requested(port, checked)
        if frame.flags & SYN:
            return works.answered(port, checked)
        if frame.flags & FIN:
            return works.finished(port, checked)
        return (works.established if self.state == SYN_RECEIVED else works.acknowledged)[checked]

    def take_in(self, frame: TcpSegment) -> None:
        """Any segment but a SYN shows that the peer knows of the connection."""
        if isinstance(frame, ControlSegment) and frame.flags & SYN:
            self._take_syn(frame)
            return
        self._establish()
        self.socket.take_in(frame)
        if isinstance(frame, ControlSegment):
            self._take_control(frame)
        if self._is_at_end() or self._may_finish():
            self._host.defer(self._last)

    def _take_syn(self, frame: ControlSegment) -> None:
        if not frame.flags & ACK:
            if self.state in (LISTEN, SYN_RECEIVED):
                self.state = SYN_RECEIVED
                self._transmit(SYN | ACK)
            return
        if self.state == SYN_SENT:
            self._heard()
            self.state = ESTABLISHED
            self._wake()
        self._transmit(ACK)

    def _establish(self) -> None:
        if self.state == SYN_RECEIVED:
            self._heard()
            self.state = ESTABLISHED
            self._wake()

    def _take_control(self, frame: ControlSegment) -> None:
        if frame.finish and self._sent_fin and not self._fin_acked:
            self._heard()
            self._fin_acked = True
        if frame.flags & FIN:
            self._fin_seq = frame.seq
            if self._is_at_end():
                self._come_to_end()
            else:
                self._transmit(ACK)  # data are missing, or this is the second time
        self._end_both()

    def _is_at_end(self) -> bool:
        """Whether the peer's FIN is next in line."""
        return self._fin_seq == self.socket.input.rcv_nxt and not self.came_to_end

    def _come_to_end(self) -> None:
        self.came_to_end = True
        self._wake()
        self._transmit(ACK)
        self._end_both()

    def _end_both(self) -> None:
        if self.came_to_end and self._fin_acked and self.state != CLOSED:
            self.state = CLOSED
            self._closed()


def _always() -> bool:
    return True


def _no_work() -> Work:
    return NOTHING


def _nothing() -> None:
    pass
