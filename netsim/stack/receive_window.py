"""The window that Linux's TCP offers, and its receive buffer, which grows as the process reads (DRS).

Source: Linux 5.17, net/ipv4/tcp_input.c: tcp_rcv_space_adjust, tcp_grow_window, tcp_rcv_rtt_measure; tcp_output.c:
__tcp_select_window, tcp_select_window. Half of the accounted memory counts as payload (tcp_adv_win_scale 1). A round
trip is measured as the time that a window takes, as without timestamps.
"""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import PS_PER_S

INITIAL: Final = 131_072  # bytes: tcp_rmem[1]
_SHARE: Final = 2
_SCALE: Final = 128  # windows are multiples of this: a shift of 7, for a buffer of up to 16 MB
_NEVER: Final = PS_PER_S * 1000


def first_window(most: int) -> int:
    """The window (bytes) that a connection begins with, whose buffer grows up to `most` bytes."""
    return min(INITIAL, most) // _SHARE // _SCALE * _SCALE


@final
class ReceiveWindow:
    """The window for segments of `mss` bytes, each accounted for as `truesize` bytes; the buffer grows up to `most`
    bytes."""

    def __init__(self, mss: int, truesize: int, most: int) -> None:
        self._mss = mss
        self._truesize = truesize
        self._most = most
        self.buffer = min(INITIAL, most)
        self._clamp = self.buffer // _SHARE
        self._threshold = self._clamp  # rcv_ssthresh
        self.offered = first_window(most)  # bytes beyond `wup`
        self.wup = 0  # segments acknowledged when it was offered
        self._space = self.offered  # bytes read in the last round trip
        self._space_seq = self._space_time = 0
        self._rtt = _NEVER
        self._rtt_seq = self._rtt_time = 0

    def select(self, queued: int) -> int:
        """The window (bytes) that could be offered with `queued` segments queued."""
        free = (self.buffer - queued * self._truesize) // _SHARE
        if free < max(self._mss, self.buffer // _SHARE >> 4):
            return 0
        return min(free, self._threshold) // _SCALE * _SCALE

    def left(self, rcv_nxt: int) -> int:
        """Bytes of the offered window that have not arrived."""
        return max(0, self.offered - (rcv_nxt - self.wup) * self._mss)

    def offer(self, rcv_nxt: int, queued: int) -> int:
        """The window (bytes) of an acknowledgement: it never shrinks."""
        self.offered = max(self.select(queued), self.left(rcv_nxt))
        self.wup = rcv_nxt
        return self.offered

    def may_double(self, rcv_nxt: int, queued: int) -> bool:
        """Whether reading has made room for twice the window; the sender is then notified."""
        now = self.left(rcv_nxt)
        return 2 * now <= self._clamp and self.select(queued) >= max(1, 2 * now)

    def came(self, count: int, rcv_nxt: int, queued: int, now: int) -> None:
        """A packet of `count` segments arrived in order: the window opens by twice as many, if there is room; a round
        trip may have ended."""
        room = min(self._clamp, (self.buffer - queued * self._truesize) // _SHARE) - self._threshold
        if room > 0:
            self._threshold += min(room, 2 * count * self._mss)
        if rcv_nxt >= self._rtt_seq:
            if self._rtt_seq:
                self._smooth(now - self._rtt_time)
            self._rtt_seq, self._rtt_time = rcv_nxt + self.offered // self._mss, now

    def _smooth(self, sample: int) -> None:
        self._rtt = sample if self._rtt == _NEVER or sample < self._rtt else self._rtt + (sample - self._rtt) // 8

    def read(self, copied_seq: int, now: int) -> None:
        """The process has read everything before `copied_seq`. Once per round trip the buffer is resized for twice the
        bytes read."""
        if now - self._space_time < self._rtt:
            return
        copied = (copied_seq - self._space_seq) * self._mss
        if copied > self._space:
            self._enlarge(copied)
            self._space = copied
        self._space_seq, self._space_time = copied_seq, now

    def _enlarge(self, copied: int) -> None:
        window = 2 * copied + 16 * self._mss
        window += 2 * (window * (copied - self._space) // max(1, self._space))
        each = max(self._truesize, _SHARE * self._mss)
        buffer = min(window // self._mss * each, self._most)
        if buffer > self.buffer:
            self.buffer = buffer
            self._clamp = buffer // _SHARE
