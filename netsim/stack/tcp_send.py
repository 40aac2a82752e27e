"""The sending half of a TCP connection: windows, congestion control, retransmission. No processor time is spent here:
the socket asks what may be sent, and passes on acknowledgements."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64

from netsim.engine import Environment, Timer
from netsim.stack.call_ends import CallEnds
from netsim.stack.round_trip import RoundTrip
from netsim.stack.scoreboard import Scoreboard
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_spec import TcpSpec

_CWND_CLAMP = 65_535  # segments: the congestion window grows no further (Linux 2.2: snd_cwnd_clamp)
_UNLIMITED = 2**62  # bytes: no stream is as long


class Transmission:
    """Which data to send next, and what an acknowledgement means (RFC 2581, RFC 2018, RFC 2988 and, where these leave
    it open, Linux 2.2: tcp_fast_retrans, tcp_fack_retransmit).

    Bytes are numbered from 0: `snd_una` is the first not acknowledged, `snd_nxt` the next to be sent, `snd_max` the
    first never sent (`snd_nxt` falls behind it after a timeout), `write_seq` the first that the process has not written
    yet, and `snd_wnd_end` the first beyond the peer's window (snd_una + snd_wnd). `cwnd` and `ssthresh` are in bytes.
    Data in flight are those sent beyond the last byte that the peer is known to have, and those sent again (FACK). With
    `nodelay` (TCP_NODELAY) small segments never wait. Up to `at_once` full segments that were never sent are sent
    together, for the card to cut (large send).
    """

    __slots__ = (
        "_backoff", "_calendar", "_call_ends", "_cwnd_clamp", "_disorder", "_dup_acks", "_flight_start",
        "_hoe", "_idle_restart", "_kick", "_last_sent", "_max_rto", "_new_data", "_newreno", "_nodelay", "_probe",
        "_recover", "_reno", "_rto_timer", "_rtt", "_scoreboard", "_small", "_timestamps",
        "cwnd", "duplicate_acks", "fast_retransmits", "largest", "mss", "retransmit_queue", "retransmitted",
        "round_trip", "snd_max", "snd_nxt", "snd_una", "snd_wnd_end", "spec", "ssthresh", "timeouts",
        "write_seq",
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
        self._calendar = env.calendar
        self.spec = spec
        self.mss: i64 = mss
        self.largest: i64 = at_once * mss
        self._kick = kick  # called when something can be sent that could not before
        self.write_seq: i64 = 0
        self.snd_nxt: i64 = 0
        self.snd_una: i64 = 0
        self.snd_max: i64 = 0
        self.snd_wnd_end: i64 = spec.window(0, mss)
        self.cwnd: i64 = spec.initial_window * mss
        self._cwnd_clamp: i64 = _CWND_CLAMP * mss
        self.ssthresh: i64 = self._cwnd_clamp - 1
        self._nodelay = nodelay
        self._small: i64 = int(mss * spec.nagle_share)
        self._dup_acks: i64 = 0  # in succession
        self._recover: i64 = 0  # no new fast retransmit until this is acknowledged; 0: none is under way
        self._scoreboard = Scoreboard()
        self._flight_start: i64 = 0  # bytes from here to `snd_nxt` are in flight
        self._disorder = False  # the scoreboard, `_dup_acks` or `_recover` is in use
        self.retransmit_queue: list[tuple[int, int]] = []  # ranges to send again, as (first byte, bytes)
        self._probe = False  # one byte has to be sent into a closed window
        self._call_ends = CallEnds()
        self._rto_timer = Timer(env, self._timeout)
        self.round_trip = self._rtt = RoundTrip(spec)
        self._backoff = 0
        self._timestamps = spec.timestamps
        self._max_rto = spec.max_timeout
        self._idle_restart = spec.idle_restart
        self._last_sent: i64 = 0
        self._newreno, self._reno = spec.recovery == "newreno", spec.recovery == "reno"
        self._hoe = spec.recovery == "hoe"
        self._new_data: i64 = _UNLIMITED  # from here on nothing is sent: a timeout's data have to be acknowledged first
        self.retransmitted = self.fast_retransmits = self.timeouts = self.duplicate_acks = 0

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
            self._duplicate()
        elif ack == self.snd_una and self._recover:
            self._recover_further(advanced=False, data=segment.length > 0)
        if not opened and self.snd_una == self.snd_nxt < self.write_seq and not self._rto_timer.runs:
            self._start_timer()  # the window is closed and has to be probed

    def _take_blocks(self, blocks: tuple[tuple[int, int], ...]) -> None:
        """The peer has these blocks. Those beyond `snd_nxt`, sent before a timeout, will be sent again nevertheless."""
        for start, end in blocks:
            start, end = max(start, self.snd_una), min(end, self.snd_nxt)
            if start < end:
                self._scoreboard.sack(start, end)
        self._recount()

    def _recount(self) -> None:
        """The scoreboard has changed: bytes known to have arrived are neither sent again nor in flight."""
        board = self._scoreboard
        self._disorder = True
        self._flight_start = board.fack(self.snd_una) - board.retran_data()
        if self.retransmit_queue:
            self.retransmit_queue = [
                (max(seq, start), min(seq + length, end) - max(seq, start))
                for seq, length in self.retransmit_queue
                for start, end in board.retransmitted
                if seq < end and start < seq + length
            ]

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
            self._settle(segment)
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

    def _is_recovering(self) -> bool:
        """Whether this is fast recovery, and not the recovery after a timeout."""
        return self._recover > 0 and self._dup_acks >= self.spec.duplicate_acks

    def _deflate(self, acked: int) -> None:
        """The bytes that a partial acknowledgement covers have left the network, and one segment enters it (RFC 2582,
        3)."""
        if self.snd_una < self._recover:
            self.cwnd = max(self.cwnd - acked, self.mss) + self.mss

    def _settle(self, segment: TcpSegment) -> None:
        """`snd_una` has advanced: update the disorder."""
        board = self._scoreboard
        board.advance(self.snd_una)
        self._recount()
        if self.snd_una >= self._new_data:
            self._new_data = _UNLIMITED
        if self._recover:
            self._recover_further(advanced=True, data=segment.length > 0)
        else:
            self._dup_acks = 0  # they only count in succession (RFC 2581, 3.2)
        self._disorder = bool(self._recover or board.sacked or board.retransmitted)

    # --- what was lost -----------------------------------------------------------------------------------------------

    def _duplicate(self) -> None:
        """One more duplicate acknowledgement: it reports nothing new except data beyond the hole."""
        self._disorder = True
        self.duplicate_acks += 1
        self._dup_acks += 1
        enough = self.spec.duplicate_acks
        beyond = self._scoreboard.fack(self.snd_una) - self.snd_una
        if not self._recover:
            if self._dup_acks == enough or beyond > enough * self.mss:
                self._fast_retransmit()
        elif self._dup_acks > enough:
            if beyond:
                self._retransmit_holes()
            else:
                self.cwnd = min(self.cwnd + self.mss, self._cwnd_clamp)  # one more segment has left the network

    def _fast_retransmit(self) -> None:
        self.fast_retransmits += 1
        self._recalc_ssthresh()
        self.cwnd = self.ssthresh + self.spec.duplicate_acks * self.mss
        self._recover = self.snd_max
        self._retransmit_holes()
        self._start_timer()

    def _recover_further(self, *, advanced: bool, data: bool) -> None:
        """Process an acknowledgement that is not a duplicate. Recovery ends when everything sent before it is
        acknowledged; data from the peer break it off, because their acknowledgements do not count. Otherwise more was
        lost: the bytes that the peer reports missing or, if the peer holds nothing, the first segment (Hoe; RFC 2582,
        3), even if the peer could have reported it (Linux 2.2 checks fackets_out)."""
        over = self.snd_una >= self._recover or (self._reno and advanced)
        enough = self.spec.duplicate_acks
        if over or (data and not self._newreno):
            if self._dup_acks > enough or ((self._newreno or self._reno) and self._is_recovering()):
                self.cwnd = self.ssthresh
            self._dup_acks = 0
            if over:
                self._recover = 0
        elif self._dup_acks >= enough and (advanced or self._scoreboard.sacked):
            self._retransmit_holes()

    def _retransmit_holes(self) -> None:
        """Send holes again, each once: one regardless of the data in flight, and more as the congestion window allows.
        If the peer reports no holes, send the first segment."""
        board = self._scoreboard
        head = (self.snd_una, min(self.snd_una + self.mss, self.snd_nxt))
        for start, end in board.holes(self.snd_una, self.mss) if board.sacked else [head]:
            if start < end:
                board.retransmit(start, end)
                self.retransmit_queue.append((start, end - start))
                self._recount()
            if self.snd_nxt - self._flight_start >= self.cwnd:
                break

    def _recalc_ssthresh(self) -> None:
        """Half the congestion window or half the peer's, whichever is smaller, not half of the data in flight (Linux
        2.2: tcp_recalc_ssthresh)."""
        self.ssthresh = max(min(self.cwnd, self.snd_wnd_end - self.snd_una) // 2, 2 * self.mss)

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
            self._go_back()
        elif self.write_seq > self.snd_nxt:
            self._probe = True
        else:
            return
        self._start_timer()
        self._kick()

    def _go_back(self) -> None:
        """Begin again at `snd_una`. `ssthresh` is kept when the same segment times out again (RFC 2988, 5). Linux 2.2
        sends nothing new until all that was outstanding is acknowledged (tcp_snd_test: retransmits)."""
        if self._backoff == 1:
            self._recalc_ssthresh()
        self.cwnd = self.mss
        self._recover = self.snd_max
        if self._hoe:
            self._new_data = self.snd_max
        self._dup_acks = 0
        self._disorder = True
        self._scoreboard.clear()
        self.retransmit_queue.clear()
        self.snd_nxt = self._flight_start = self.snd_una
