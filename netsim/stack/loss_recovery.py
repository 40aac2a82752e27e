"""Which data a TCP connection has lost, and what it sends again. No processor time is spent here."""

from __future__ import annotations

from mypy_extensions import i64

from netsim.stack.scoreboard import Scoreboard
from netsim.stack.tcp_spec import TcpSpec

_CWND_CLAMP = 65_535  # segments: the congestion window grows no further (Linux 2.2: snd_cwnd_clamp)
_UNLIMITED = 2**62  # bytes: no stream is as long


class LossRecovery:
    """The sequence numbers and windows of a sender, and what acknowledgements and timeouts say about lost data (RFC
    2581, RFC 2018 and, where these leave it open, Linux 2.2: tcp_fast_retrans, tcp_fack_retransmit).

    Bytes are numbered from 0: `snd_una` is the first not acknowledged, `snd_nxt` the next to be sent, `snd_max` the
    first never sent (`snd_nxt` falls behind it after a timeout), and `snd_wnd_end` the first beyond the peer's window
    (snd_una + snd_wnd). `cwnd` and `ssthresh` are in bytes. Data in flight are those sent beyond the last byte that the
    peer is known to have, and those sent again (FACK).
    """

    __slots__ = (
        "_cwnd_clamp", "_disorder", "_dup_acks", "_enough", "_flight_start", "_hoe", "_new_data", "_newreno",
        "_recover", "_reno", "_scoreboard",
        "cwnd", "duplicate_acks", "fast_retransmits", "mss", "retransmit_queue", "snd_max", "snd_nxt", "snd_una",
        "snd_wnd_end", "spec", "ssthresh",
    )

    def __init__(self, spec: TcpSpec, mss: int) -> None:
        self.spec = spec
        self.mss: i64 = mss
        self.snd_nxt: i64 = 0
        self.snd_una: i64 = 0
        self.snd_max: i64 = 0
        self.snd_wnd_end: i64 = spec.window(0, mss)
        self.cwnd: i64 = spec.initial_window * mss
        self._cwnd_clamp: i64 = _CWND_CLAMP * mss
        self.ssthresh: i64 = self._cwnd_clamp - 1
        self._enough: i64 = spec.duplicate_acks
        self._dup_acks: i64 = 0  # in succession
        self._recover: i64 = 0  # no new fast retransmit until this is acknowledged; 0: none is under way
        self._scoreboard = Scoreboard()
        self._flight_start: i64 = 0  # bytes from here to `snd_nxt` are in flight
        self._disorder = False  # the scoreboard, `_dup_acks` or `_recover` is in use
        self.retransmit_queue: list[tuple[int, int]] = []  # ranges to send again, as (first byte, bytes)
        self._newreno, self._reno = spec.recovery == "newreno", spec.recovery == "reno"
        self._hoe = spec.recovery == "hoe"
        self._new_data: i64 = _UNLIMITED  # from here on nothing is sent: a timeout's data have to be acknowledged first
        self.fast_retransmits = self.duplicate_acks = 0

    # --- what the peer reports ----------------------------------------------------------------------------------------

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

    def _settle(self, data: bool) -> None:
        """`snd_una` has advanced, by an acknowledgement with or without `data`: update the disorder."""
        board = self._scoreboard
        board.advance(self.snd_una)
        self._recount()
        if self.snd_una >= self._new_data:
            self._new_data = _UNLIMITED
        if self._recover:
            self._recover_further(advanced=True, data=data)
        else:
            self._dup_acks = 0  # they only count in succession (RFC 2581, 3.2)
        self._disorder = bool(self._recover or board.sacked or board.retransmitted)

    # --- fast retransmit and recovery ---------------------------------------------------------------------------------

    def _duplicate(self) -> bool:
        """One more duplicate acknowledgement: it reports nothing new except data beyond the hole. Returns whether it
        starts a fast retransmit."""
        self._disorder = True
        self.duplicate_acks += 1
        self._dup_acks += 1
        enough = self._enough
        beyond: i64 = self._scoreboard.fack(self.snd_una) - self.snd_una
        if not self._recover:
            if self._dup_acks == enough or beyond > enough * self.mss:
                self._fast_retransmit()
                return True
        elif self._dup_acks > enough:
            if beyond:
                self._retransmit_holes()
            else:
                self.cwnd = min(self.cwnd + self.mss, self._cwnd_clamp)  # one more segment has left the network
        return False

    def _fast_retransmit(self) -> None:
        self.fast_retransmits += 1
        self._recalc_ssthresh()
        self.cwnd = self.ssthresh + self._enough * self.mss
        self._recover = self.snd_max
        self._retransmit_holes()

    def _is_recovering(self) -> bool:
        """Whether this is fast recovery, and not the recovery after a timeout."""
        return self._recover > 0 and self._dup_acks >= self._enough

    def _deflate(self, acked: int) -> None:
        """The bytes that a partial acknowledgement covers have left the network, and one segment enters it (RFC 2582,
        3)."""
        if self.snd_una < self._recover:
            self.cwnd = max(self.cwnd - acked, self.mss) + self.mss

    def _recover_further(self, *, advanced: bool, data: bool) -> None:
        """Process an acknowledgement that is not a duplicate. Recovery ends when everything sent before it is
        acknowledged; data from the peer break it off, because their acknowledgements do not count. Otherwise more was
        lost: the bytes that the peer reports missing or, if the peer holds nothing, the first segment (Hoe; RFC 2582,
        3), even if the peer could have reported it (Linux 2.2 checks fackets_out)."""
        over = self.snd_una >= self._recover or (self._reno and advanced)
        enough = self._enough
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

    def _go_back(self, again: bool) -> None:
        """A timeout: begin again at `snd_una`. `ssthresh` is kept if the same segment has timed out `again` (RFC 2988,
        5). Linux 2.2 sends nothing new until all that was outstanding is acknowledged (tcp_snd_test: retransmits)."""
        if not again:
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
