"""The sending half of a TCP connection: what it sends next, congestion avoidance, timeouts. No processor time is spent
here: the socket asks what may be sent, and passes on acknowledgements."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64

from netsim.engine import Environment, Timer
from netsim.stack.call_ends import CallEnds
from netsim.stack.loss_recovery import LossRecovery
from netsim.stack.round_trip import RoundTrip
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_spec import TcpSpec


class Transmission(LossRecovery):
    """Which data to send next, and what an acknowledgement means (RFC 2581, RFC 2988). `write_seq` is the first byte
    that the process has not written yet. With `nodelay` (TCP_NODELAY) small segments never wait. Up to `at_once` full
    segments that were never sent are sent together, for the card to cut (large send).
    """

    __slots__ = (
        "_backoff", "_calendar", "_call_ends", "_idle_restart", "_kick", "_last_sent", "_max_rto", "_nodelay", "_probe",
        "_rto_timer", "_rtt", "_small", "_timestamps",
        "largest", "retransmitted", "round_trip", "timeouts", "write_seq",
    )

    def __init__(
        self,
        env: Environment,
        spec: TcpSpec,
        mss: int,
        kick: Callable[[], None],
        nodelay: bool = False,
        at_once: int = 1,
    ) -> None:
        super().__init__(spec, mss)
        self._calendar = env.calendar
        self.largest: i64 = at_once * mss
        self._kick = kick  # called when something can be sent that could not before
        self.write_seq: i64 = 0
        self._nodelay = nodelay
        self._small: i64 = int(mss * spec.nagle_share)
        self._probe = False  # one byte has to be sent into a closed window
        self._call_ends = CallEnds()
        self._rto_timer = Timer(env, self._timeout)
        self.round_trip = self._rtt = RoundTrip(spec)
        self._backoff = 0
        self._timestamps = spec.timestamps
        self._max_rto = spec.max_timeout
        self._idle_restart = spec.idle_restart
        self._last_sent: i64 = 0
        self.retransmitted = self.timeouts = 0

    # --- what to send ------------------------------------------------------------------------------------------------

    def begin_call(self, nbytes: int) -> None:
        """A process begins a call that writes `nbytes`."""
        if self._idle_restart and self.snd_una == self.write_seq:
            idle = self._calendar.now - self._last_sent
            if idle > self._rtt.rto:
                self.cwnd = min(self.cwnd, self.spec.initial_window * self.mss)
        self._call_ends.add(self.write_seq + nbytes)

    def close(self) -> None:
        """The process writes no more: the last segment, however small, waits for the windows only (Linux 2.2:
        tcp_send_fin; 4.4BSD: tcp_output)."""
        self._nodelay = True
        if self.upcoming()[1]:
            self._kick()

    def pushes(self, seq: int, length: int) -> bool:
        """Whether a send call's last byte is in this segment."""
        return self._call_ends.within(seq, length, self.snd_una)

    @property
    def is_idle(self) -> bool:
        """Nothing is outstanding."""
        return self.snd_una == self.snd_nxt

    @property
    def calls(self) -> int:
        """The number of calls whose data are not all acknowledged."""
        return self._call_ends.count(self.snd_una)

    def sendable(self, more: i64 = 0) -> i64:
        """Bytes of data that may be sent now as the next segment or large send, if `more` bytes were written; 0: none.

        A small segment is sent only when nothing is on its way (Nagle, RFC 896), unless TCP_NODELAY is set. A segment
        is small below a share of a full one (TcpSpec.nagle_share).
        """
        snd_nxt, mss = self.snd_nxt, self.mss
        length = self.write_seq + more - snd_nxt
        if length >= mss:
            length = mss
        elif length <= 0 or (length < self._small and snd_nxt > self.snd_una and not self._nodelay):
            return 0
        if not self._is_within_windows(length):
            return 0
        if length < mss or self.largest == mss or snd_nxt < self.snd_max:
            return length
        room: i64 = min(self.write_seq + more, self.snd_wnd_end, self._flight_start + self.cwnd) - snd_nxt
        return (room if room < self.largest else self.largest) // mss * mss

    @property
    def tail(self) -> int:
        """Bytes of the last segment, if it is not full and has never been sent."""
        unsent = self.write_seq - self.snd_max
        return unsent % self.mss if unsent > 0 else 0

    @property
    def has_more(self) -> bool:
        """Whether data wait to be sent, now or later."""
        return self.snd_nxt < self.write_seq or bool(self.retransmit_queue)

    def upcoming(self) -> tuple[i64, i64]:
        """The segment to send now, as (first byte, bytes); no bytes: none."""
        if self.retransmit_queue:
            return self.retransmit_queue[0]
        length = self.sendable()
        return self.snd_nxt, 1 if self._probe and not length else length

    def may_go(self, seq: i64, length: i64) -> bool:
        """Whether the segment that was `upcoming` can still be sent. Data written since then would make it longer,
        perhaps too long for the window; it goes as it was."""
        if self.retransmit_queue:
            now, most = self.retransmit_queue[0]
            return now == seq and length <= most
        return seq == self.snd_nxt and (self._is_within_windows(length) or (self._probe and length == 1))

    def _is_within_windows(self, length: i64) -> bool:
        """Whether the congestion window and the peer's have room for `length` bytes from `snd_nxt` on, and no timeout
        holds them back."""
        snd_nxt = self.snd_nxt
        return (
            snd_nxt - self._flight_start + length <= self.cwnd
            and snd_nxt + length <= self.snd_wnd_end
            and snd_nxt < self._new_data
        )

    def sent(self, seq: i64, length: i64) -> None:
        """A segment is sent."""
        if seq < self.snd_max:
            self.retransmitted += 1
            self._rtt.sent_again(seq)
        elif not self._timestamps:
            self._rtt.sent(seq + length, self._calendar.now)
        if self.retransmit_queue and seq == self.retransmit_queue[0][0]:
            del self.retransmit_queue[0]
        else:
            self._probe = False
            self.snd_nxt = end = seq + length
            if end > self.snd_max:
                self.snd_max = end
        if self._idle_restart:
            self._last_sent = self._calendar.now
        if not self._rto_timer.runs:
            self._start_timer()

    # --- what comes back ---------------------------------------------------------------------------------------------

    def acknowledged(self, segment: TcpSegment) -> None:
        """Process the acknowledgement and the window of a segment from the peer."""
        ack = segment.ack
        end = ack + segment.window
        opened = end > self.snd_wnd_end
        if opened:
            self.snd_wnd_end = end
        if segment.sacked:
            self._take_blocks(segment.sacked)
        if ack > self.snd_una:
            self._advance(segment)
        elif ack == self.snd_una and not segment.length and not opened and self.snd_nxt > ack:
            if self._duplicate():
                self._start_timer()
        elif ack == self.snd_una and self._recover:
            self._recover_further(advanced=False, data=segment.length > 0)
        if not opened and self.snd_una == self.snd_nxt < self.write_seq and not self._rto_timer.runs:
            self._start_timer()  # the window is closed and has to be probed

    def _advance(self, segment: TcpSegment) -> None:
        ack = segment.ack
        acked = ack - self.snd_una
        self.snd_una = self._flight_start = ack
        if self.snd_nxt < ack:
            self.snd_nxt = ack
        if self._newreno and self._is_recovering():
            self._deflate(acked)
        elif self.cwnd <= self.ssthresh:
            self.cwnd += self.mss  # slow start
        else:
            grown = self.mss * self.mss // self.cwnd
            larger = self.cwnd + (grown if grown > 1 else 1)
            self.cwnd = larger if larger < self._cwnd_clamp else self._cwnd_clamp
        self._measure(segment)
        if self._disorder:
            self._settle(segment.length > 0)
        if self.snd_nxt > ack or self.write_seq > self.snd_nxt:
            self._start_timer()
        else:
            self._rto_timer.cancel()

    def _measure(self, segment: TcpSegment) -> None:
        """Measure the round trip, if this acknowledgement shows it. Only then the timeout is no longer backed off
        (Karn); with timestamps, once everything sent before a timeout is acknowledged (tcp_ack_saw_tstamp)."""
        sent = segment.tsecr if self._timestamps else self._rtt.timed(self.snd_una)
        if sent >= 0:
            self._rtt.measure(sent, self._calendar.now, self.cwnd // self.mss)
        if self.snd_una >= self._recover if self._timestamps else sent >= 0:
            self._backoff = 0

    # --- time-outs ---------------------------------------------------------------------------------------------------

    def _start_timer(self) -> None:
        time = self._rtt.rto << self._backoff
        if time > self._max_rto:
            time = self._max_rto
        self._rto_timer.set(self._calendar.now + time)

    def _timeout(self) -> None:
        """Go back to the first byte not acknowledged, or probe a closed window."""
        self._backoff += 1
        if self.snd_nxt > self.snd_una:
            self.timeouts += 1
            self._go_back(self._backoff > 1)
        elif self.write_seq > self.snd_nxt:
            self._probe = True
        else:
            return
        self._start_timer()
        self._kick()
