"""What a TCP stream sends, and when, within its windows and the limit on packets that wait below TCP.

Source: Linux 5.17, net/ipv4/tcp_output.c: tcp_write_xmit, tcp_small_queue_check, tcp_xmit_retransmit_queue;
tcp_input.c: tcp_update_pacing_rate; tcp_cwnd_validate.
"""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar, Fifo
from netsim.machine import CycleTally
from netsim.stack.autosizing import defers, goal, pacing_rate, queue_limit
from netsim.stack.congestion_window import Reno
from netsim.stack.device_queue import DeviceQueue, SentPacket
from netsim.stack.stream_bills import SenderBills
from netsim.stack.stream_recovery import StreamRecovery


@final
class StreamOutput:
    """The sending half of TCP, in segments of `mss` bytes. With `tso` packets have several segments (`goal`); the
    receiver accepts all segments before `edge`."""

    def __init__(
        self, calendar: Calendar, bills: SenderBills, window: Reno, device: DeviceQueue, mss: int, tso: bool, edge: int
    ) -> None:
        self._calendar = calendar
        self._bills = bills
        self.window = window
        self.device = device
        self._mss = mss
        self._tso = tso
        self.edge = edge
        self.recovery = StreamRecovery()
        self.write_seq = self.snd_nxt = self.snd_una = 0
        self.goal = 2 if tso else 1
        self.rate = 0  # bytes/s, of pacing
        self._unacked: Fifo[SentPacket] = Fifo()
        self.throttled = False  # by the limit on packets below TCP
        self._limited = False  # by the congestion window
        self._most_out = self._most_out_until = 0
        self.packets = self.segments = self.retransmitted = 0

    @property
    def out(self) -> int:
        """The number of unacknowledged segments."""
        return self.snd_nxt - self.snd_una

    @property
    def shut_out(self) -> bool:
        """Whether data wait for the receiver's window while all that was sent is acknowledged."""
        return self.snd_una == self.snd_nxt == self.edge and self.write_seq > self.snd_nxt

    def acknowledged(self, rcv_nxt: int) -> SentPacket | None:
        """Everything before `rcv_nxt` has arrived. Returns the last packet that is now acknowledged; None: none is."""
        self.snd_una = rcv_nxt
        last: SentPacket | None = None
        while self._unacked and self._unacked[0].end <= rcv_nxt:
            last = self._unacked.popleft()
        return last

    @property
    def fills_window(self) -> bool:
        """Whether the congestion window limits the stream, so that a larger one would help."""
        return self.window.cwnd < 2 * self._most_out if self.window.slow_start else self._limited

    def pace(self, rtt: int) -> None:
        """Set the length of packets from a smoothed round trip of `rtt` (ps) and the window."""
        window = self.window
        out = max(window.cwnd, self.out)
        self.rate = pacing_rate(self._mss, out, window.cwnd < window.ssthresh // 2, rtt)
        if self._tso:
            self.goal = goal(self.rate, self._mss)

    def transmit(self, tally: CycleTally) -> None:
        """Send as much as the windows and the limit on packets below TCP allow."""
        room = self._room()
        if self.recovery.under_way:
            room = self._retransmit(room, tally)
        limit = queue_limit(self.rate, self.goal * self._mss)
        self.throttled = self._limited = False
        while (unsent := self.write_seq - self.snd_nxt) > 0:
            allowed = min(room, self.edge - self.snd_nxt)
            if allowed <= 0:
                self._limited = room <= 0
                break
            count = min(allowed, unsent, self.goal)
            if self._waits(count, unsent):
                self._limited = room < self.edge - self.snd_nxt
                break
            if self.device.segments * self._mss > limit and self._unacked:
                self.throttled = True
                break
            self.send(self.snd_nxt, count, tally)
            self.snd_nxt += count
            room -= count
        self._note_most()

    def _room(self) -> int:
        """The number of segments for which the congestion window has room."""
        if self.recovery.under_way:
            return self.window.cwnd - self.recovery.pipe(self.snd_una, self.snd_nxt)
        return self.window.cwnd - self.out

    def _waits(self, count: int, unsent: int) -> bool:
        if not self._tso or self.snd_nxt == self.snd_una:
            return False
        return defers(count, min(unsent, self.goal), min(self.window.cwnd, self.edge - self.snd_una))

    def _note_most(self) -> None:
        if self.snd_una >= self._most_out_until or self.out > self._most_out:
            self._most_out, self._most_out_until = self.out, self.snd_nxt

    def _retransmit(self, room: int, tally: CycleTally) -> int:
        for first, last in self.recovery.lost(self.snd_una):
            while first < last and room > 0:
                count = min(last - first, room, self.goal)
                self.send(first, count, tally)
                self.recovery.sent_again(first, first + count, self.snd_nxt)
                self.retransmitted += count
                first += count
                room -= count
        return room

    def send(self, first: int, count: int, tally: CycleTally) -> None:
        """Send a packet once the work before it is done."""
        tally.add(self._bills.send)
        tally.add(self._bills.handed, count)
        packet = SentPacket(first + count, count, self._calendar.now + tally.total)
        self.device.put(packet)
        if first >= self.snd_nxt:
            self._unacked.append(packet)
        self.packets += 1
        self.segments += count
