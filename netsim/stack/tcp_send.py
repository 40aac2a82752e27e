"""The sending half of a TCP connection: windows, congestion control, retransmission. No processor time is spent here:
the socket asks what may be sent and tells what was acknowledged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from netsim.engine import Environment, Timer
from netsim.stack.round_trip import RoundTrip
from netsim.stack.scoreboard import Scoreboard
from netsim.stack.tcp import TcpSegment, TcpSpec

_LARGEST = 65_535  # segments: the congestion window grows no further (Linux 2.2: snd_cwnd_clamp)


class Transmission:
    """What is to be sent next, and what an acknowledgement means (RFC 2581, RFC 2018, RFC 2988, and where they leave
    it open Linux 2.2: tcp_fast_retrans, tcp_fack_retransmit).

    Bytes are numbered from 0: `written` are in the socket, `next` is the first to be sent, `una` the first not
    acknowledged, `highest` the first never sent (`next` falls behind it after a timeout). In flight is what was sent
    beyond the last byte that the peer is known to have, and what was sent again (FACK). With `nodelay` (TCP_NODELAY)
    small segments wait for nothing. Of full segments that were never sent up to `at_once` go out together, for the card
    to cut (large send).
    """

    def __init__(
        self,
        env: Environment,
        spec: TcpSpec,
        segment: int,
        kick: Callable[[], None],
        nodelay: bool = False,
        at_once: int = 1,
    ) -> None:
        self.env = env
        self.spec = spec
        self.segment = segment
        self.largest = at_once * segment
        self._kick = kick  # something can be sent that could not before
        self._nodelay = nodelay
        self.written = self.next = self.una = self.highest = 0
        self.limit = spec.window(0, segment)  # first byte beyond the peer's window
        self.congestion = spec.initial_window * segment  # congestion window, bytes
        self._largest = _LARGEST * segment
        self.threshold = self._largest - 1  # of slow start, bytes
        self._nodelay = nodelay
        self._duplicates = 0
        self._recover = 0  # no new fast retransmit before this is acknowledged; 0: none is under way
        self._board = Scoreboard()
        self._origin = 0  # in flight are as many bytes as from here to `next`
        self._disturbed = False  # the scoreboard, `_duplicates` or `_recover` say something
        self.resend: list[tuple[int, int]] = []  # to be sent again, as (first byte, bytes)
        self._probe = False  # one byte is to be sent into a closed window
        self._call_ends: list[int] = []  # first byte behind each send call, of those not known to be acknowledged
        self._timer = Timer(env, self._timeout)
        self._round_trip = RoundTrip(spec.min_timeout)
        self._backoff = 0
        self._timestamps = spec.timestamps
        self._max_timeout = spec.max_timeout
        self.retransmitted = self.fast_retransmits = self.timeouts = self.duplicate_acks = 0

    # --- what to send ------------------------------------------------------------------------------------------------

    def begin_call(self, nbytes: int) -> None:
        """A process begins a call that writes so much."""
        self._call_ends.append(self.written + nbytes)

    def pushes(self, seq: int, length: int) -> bool:
        """Whether a call's last byte is in this segment: it has the PSH flag (RFC 1122, 4.2.2.2)."""
        ends = self._call_ends
        if not ends or seq + length < ends[0]:
            return False
        self._forget_calls()
        following = bisect_right(ends, seq)
        return following < len(ends) and ends[following] <= seq + length

    @property
    def calls(self) -> int:
        """Calls whose data are not all acknowledged."""
        self._forget_calls()
        return len(self._call_ends)

    def _forget_calls(self) -> None:
        ends = self._call_ends
        if ends and ends[0] <= self.una:
            del ends[: bisect_right(ends, self.una)]

    def sendable(self, more: int = 0) -> int:
        """Bytes of data that may go now as the next segment, or at once, if `more` bytes were written; 0: none.

        A segment that is not full goes only when nothing is on its way (Nagle, RFC 896), unless TCP_NODELAY is set.
        """
        next, segment = self.next, self.segment
        length = self.written + more - next
        if length >= segment:
            length = segment
        elif length <= 0 or (next > self.una and not self._nodelay):
            return 0
        if next - self._origin + length > self.congestion or next + length > self.limit:
            return 0
        if length < segment or self.largest == segment or next < self.highest:
            return length
        room = min(self.written + more, self.limit, self._origin + self.congestion) - next
        return min(room, self.largest) // segment * segment

    def upcoming(self) -> tuple[int, int]:
        """The segment to send now, as (first byte, bytes); no bytes: none."""
        if self.resend:
            return self.resend[0]
        length = self.sendable()
        return self.next, 1 if self._probe and not length else length

    def may_go(self, seq: int, length: int) -> bool:
        """Whether what was `upcoming` still is, or the beginning of what is now."""
        now, most = self.upcoming()
        return now == seq and (length == most or (length < most and not length % self.segment))

    def sent(self, seq: int, length: int) -> None:
        """A segment goes out."""
        if seq < self.highest:
            self.retransmitted += 1
        if self.resend and seq == self.resend[0][0]:
            del self.resend[0]
        else:
            self._probe = False
            self.next = end = seq + length
            if end > self.highest:
                self.highest = end
        if self._timer.deadline is None:
            self._start_timer()

    # --- what comes back ---------------------------------------------------------------------------------------------

    def acknowledged(self, segment: TcpSegment) -> None:
        """Take in the acknowledgement and the window of a segment from the peer."""
        ack = segment.ack
        limit = ack + segment.window
        opened = limit > self.limit
        if opened:
            self.limit = limit
        if segment.sacked:
            self._hold(segment.sacked)
        if ack > self.una:
            self._advance(segment)
        elif ack == self.una and not segment.length and not opened and self.next > ack:
            self._duplicate()
        elif ack == self.una and self._recover:
            self._recover_further(advanced=False, data=segment.length > 0)
        if not opened and self.next == self.una and self.written > self.next and self._timer.deadline is None:
            self._start_timer()  # the window is closed: it will have to be probed

    def _hold(self, blocks: tuple[tuple[int, int], ...]) -> None:
        """The peer has these. What it has beyond `next`, from before a timeout, will be sent again all the same."""
        for start, end in blocks:
            start, end = max(start, self.una), min(end, self.next)
            if start < end:
                self._board.hold(start, end)
        self._look_again()

    def _look_again(self) -> None:
        """The scoreboard has changed: what is known to have come is not sent again, nor in flight."""
        board = self._board
        self._disturbed = True
        self._origin = board.fack(self.una) - board.in_doubt()
        if self.resend:
            self.resend = [
                (max(seq, start), min(seq + length, end) - max(seq, start))
                for seq, length in self.resend
                for start, end in board.again
                if seq < end and start < seq + length
            ]

    def _advance(self, segment: TcpSegment) -> None:
        ack = segment.ack
        self.una = self._origin = ack
        if self.next < ack:
            self.next = ack
        self._backoff = 0
        if self._timestamps and segment.echo >= 0:
            self._round_trip.measure(self.env._now - segment.echo)
        if self.congestion <= self.threshold:
            self.congestion += self.segment  # slow start
        else:
            larger = self.congestion + max(1, self.segment * self.segment // self.congestion)
            self.congestion = min(larger, self._largest)
        if self._disturbed:
            self._settle(segment)
        if self.next > ack or self.written > self.next:
            self._start_timer()
        else:
            self._timer.cancel()

    def _settle(self, segment: TcpSegment) -> None:
        """`una` has advanced: what is left of the disorder."""
        board = self._board
        board.advance(self.una)
        self._look_again()
        if self._recover:
            self._recover_further(advanced=True, data=segment.length > 0)
        else:
            self._duplicates = 0  # they count if they come in succession (RFC 2581, 3.2)
        self._disturbed = bool(self._recover or board.held or board.again)

    # --- what was lost -----------------------------------------------------------------------------------------------

    def _duplicate(self) -> None:
        """One more acknowledgement that says nothing new, but for what has come behind the hole."""
        self._disturbed = True
        self.duplicate_acks += 1
        self._duplicates += 1
        enough = self.spec.duplicate_acks
        beyond = self._board.fack(self.una) - self.una
        if not self._recover:
            if self._duplicates == enough or beyond > enough * self.segment:
                self._fast_retransmit()
        elif self._duplicates > enough:
            if beyond:
                self._fill()
            else:
                self.congestion = min(self.congestion + self.segment, self._largest)  # one more has left the network

    def _fast_retransmit(self) -> None:
        self.fast_retransmits += 1
        self._halve()
        self.congestion = self.threshold + self.spec.duplicate_acks * self.segment
        self._recover = self.highest
        self._fill()
        self._start_timer()

    def _recover_further(self, *, advanced: bool, data: bool) -> None:
        """No duplicate. Recovery is over when all is acknowledged that was sent before it; data from the peer break it
        off, as their acknowledgements don't count; else something more was lost: what the peer reports, or if it holds
        nothing the first segment (Hoe; RFC 2582, 3), even if it could have reported (Linux 2.2 asks fackets_out)."""
        over = self.una >= self._recover
        enough = self.spec.duplicate_acks
        if over or data:
            if self._duplicates > enough:
                self.congestion = self.threshold
            self._duplicates = 0
            if over:
                self._recover = 0
        elif self._duplicates >= enough and (advanced or self._board.held):
            self._fill()

    def _fill(self) -> None:
        """Send holes again, one whatever is in flight and more as the congestion window allows, each once; where the
        peer says nothing of holes, the first segment."""
        board = self._board
        head = (self.una, min(self.una + self.segment, self.next))
        for start, end in board.holes(self.una, self.segment) if board.held else [head]:
            if start < end:
                board.resend(start, end)
                self.resend.append((start, end - start))
                self._look_again()
            if self.next - self._origin >= self.congestion:
                break

    def _halve(self) -> None:
        """Half the congestion window or half the peer's, whichever is smaller, not half of what is in flight
        (Linux 2.2: tcp_recalc_ssthresh)."""
        self.threshold = max(min(self.congestion, self.limit - self.una) // 2, 2 * self.segment)

    # --- time-outs ---------------------------------------------------------------------------------------------------

    def _start_timer(self) -> None:
        time = self._round_trip.timeout << self._backoff
        if time > self._max_timeout:
            time = self._max_timeout
        self._timer.set(self.env._now + time)

    def _timeout(self) -> None:
        """Go back to the first byte not acknowledged, or probe a closed window."""
        self._backoff += 1
        if self.next > self.una:
            self.timeouts += 1
            self._go_back()
        elif self.written > self.next:
            self._probe = True
        else:
            return
        self._start_timer()
        self._kick()

    def _go_back(self) -> None:
        """Begin again at `una`. What was half the window stays when the same segment times out again (RFC 2988, 5)."""
        if self._backoff == 1:
            self._halve()
        self.congestion = self.segment
        self._recover = self.highest
        self._duplicates = 0
        self._disturbed = True
        self._board.clear()
        self.resend.clear()
        self.next = self._origin = self.una
