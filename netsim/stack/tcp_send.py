"""The sending half of a TCP connection: windows, congestion control, retransmission. No processor time is spent here:
the socket asks what may be sent and tells what was acknowledged."""

from __future__ import annotations

from collections.abc import Callable

from netsim.engine import Environment, Timer
from netsim.stack.tcp import Segment, TcpSpec


class Transmission:
    """What is to be sent next, and what an acknowledgement means (RFC 2581, RFC 2582, RFC 2988).

    Bytes are numbered from 0: `written` are in the socket, `next` is the first to be sent, `una` the first not
    acknowledged, `highest` the first never sent (`next` falls behind it after a timeout).
    """

    def __init__(
        self, env: Environment, spec: TcpSpec, segment: int, kick: Callable[[], None], nodelay: bool = False
    ) -> None:
        self.env = env
        self.spec = spec
        self.segment = segment
        self._kick = kick  # something can be sent that could not before
        self._nodelay = nodelay
        self.written = self.next = self.una = self.highest = 0
        self.limit = spec.window(0, segment)  # first byte beyond the peer's window
        self.congestion = spec.initial_window * segment  # congestion window, bytes
        self.threshold = 1 << 40  # of slow start, bytes
        self._duplicates = 0
        self._recover = 0  # no new fast retransmit before this is acknowledged
        self._recovering = False
        self.resend = False  # the segment at `una` is to be sent again
        self._probe = False  # one byte is to be sent into a closed window
        self._timer = Timer(env, self._timeout)
        self._round_trip = self._deviation = 0  # ps
        self._backoff = 0
        self._timestamps = spec.timestamps
        self._min_timeout, self._max_timeout = spec.min_timeout, spec.max_timeout
        self.retransmitted = self.fast_retransmits = self.timeouts = self.duplicate_acks = 0

    # --- what to send ------------------------------------------------------------------------------------------------

    def sendable(self, more: int = 0) -> int:
        """Bytes of data that may go now as the next segment, if `more` bytes were written; 0: none.

        A segment that is not full goes only when nothing is on its way (Nagle, RFC 896), unless TCP_NODELAY is set.
        """
        next, segment = self.next, self.segment
        length = self.written + more - next
        if length >= segment:
            length = segment
        elif length <= 0 or (next > self.una and not self._nodelay):
            return 0
        if next - self.una + length > self.congestion or next + length > self.limit:
            return 0
        return length

    def upcoming(self) -> tuple[int, int]:
        """The segment to send now, as (first byte, bytes); no bytes: none."""
        if self.resend:
            return self.una, min(self.segment, self.highest - self.una)
        length = self.sendable()
        return self.next, 1 if self._probe and not length else length

    def sent(self, seq: int, length: int) -> None:
        """A segment goes out."""
        if seq < self.highest:
            self.retransmitted += 1
        if self.resend and seq == self.una:
            self.resend = False
        else:
            self._probe = False
            self.next = end = seq + length
            if end > self.highest:
                self.highest = end
        if self._timer.deadline is None:
            self._start_timer()

    # --- what comes back ---------------------------------------------------------------------------------------------

    def acknowledged(self, segment: Segment) -> None:
        """Take in the acknowledgement and the window of a segment from the peer."""
        limit = segment.ack + segment.window
        opened = limit > self.limit
        if opened:
            self.limit = limit
        if segment.ack > self.una:
            self._advance(segment)
        elif segment.ack == self.una and not segment.length and not opened and self.next > self.una:
            self._duplicate()
        if not opened and self.next == self.una and self.written > self.next and self._timer.deadline is None:
            self._start_timer()  # the window is closed: it will have to be probed

    def _advance(self, segment: Segment) -> None:
        ack = segment.ack
        newly = ack - self.una
        self.una = ack
        if self.next < ack:
            self.next = ack
        self._duplicates = self._backoff = 0
        self.resend = False
        if self._timestamps and segment.echo >= 0:
            self._measure(self.env._now - segment.echo)
        if self._recovering:
            self._recover_further(newly)
        elif self.congestion < self.threshold:
            self.congestion += self.segment  # slow start
        else:
            self.congestion += max(1, self.segment * self.segment // self.congestion)
        if self.next > self.una or self.written > self.next:
            self._start_timer()
        else:
            self._timer.cancel()

    def _recover_further(self, newly: int) -> None:
        """Fast recovery: over when all is acknowledged that was sent before it, else the next hole is filled."""
        if self.una >= self._recover:
            self._recovering = False
            self.congestion = self.threshold
        else:
            self.resend = True
            self.congestion = max(self.segment, self.congestion - newly + self.segment)

    def _duplicate(self) -> None:
        self.duplicate_acks += 1
        self._duplicates += 1
        if self._recovering:
            self.congestion += self.segment  # one more has left the network
        elif self._duplicates == self.spec.duplicate_acks and self.una >= self._recover:
            self.fast_retransmits += 1
            self._halve()
            self.congestion = self.threshold + self.spec.duplicate_acks * self.segment
            self._recovering = self.resend = True
            self._recover = self.highest

    def _halve(self) -> None:
        self.threshold = max((self.next - self.una) // 2, 2 * self.segment)

    # --- time-outs ---------------------------------------------------------------------------------------------------

    def _measure(self, sample: int) -> None:
        """A round-trip time, smoothed (RFC 2988, 2.2 and 2.3)."""
        if not self._round_trip:
            self._round_trip, self._deviation = sample, sample // 2
            return
        self._deviation += (abs(self._round_trip - sample) - self._deviation) // 4
        self._round_trip += (sample - self._round_trip) // 8

    def _start_timer(self) -> None:
        time = self._round_trip + 4 * self._deviation
        if time < self._min_timeout:
            time = self._min_timeout
        time <<= self._backoff
        if time > self._max_timeout:
            time = self._max_timeout
        self._timer.set(self.env._now + time)

    def _timeout(self) -> None:
        """Go back to the first byte not acknowledged, or probe a closed window."""
        self._backoff += 1
        if self.next > self.una:
            self.timeouts += 1
            self._halve()
            self.congestion = self.segment
            self._recover = self.highest
            self._recovering = self.resend = False
            self.next = self.una
        elif self.written > self.next:
            self._probe = True
        else:
            return
        self._start_timer()
        self._kick()
