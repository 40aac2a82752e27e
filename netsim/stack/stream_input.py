"""TCP's handling of a stream's received segments: the receive queue, holes, the window, acknowledgements.

Source: Linux 5.17, net/ipv4/tcp_input.c: tcp_data_queue, __tcp_ack_snd_check; tcp.c, tcp_cleanup_rbuf.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Environment, Fifo
from netsim.engine.timers import Timer
from netsim.machine import CycleTally, ServerCore
from netsim.stack.receive_window import ReceiveWindow
from netsim.stack.scoreboard import union
from netsim.stack.socket_backlog import SocketBacklog, WaitingPacket
from netsim.stack.stream_bills import ReceiverBills
from netsim.stack.stream_way import AckWay, StreamAck
from netsim.units.constants import MS

_DELAYED: Final = 40 * MS  # TCP_DELACK_MIN
_QUICK: Final = 16  # immediate acknowledgements when a connection begins (TCP_MAX_QUICKACKS)


@final
class QueuedPacket:
    """`segments` in the receive queue, with a `mark` of when their data reached memory."""

    __slots__ = ("mark", "segments")

    def __init__(self, segments: int, mark: int) -> None:
        self.segments = segments
        self.mark = mark


@final
class StreamInput:
    """The receiving half of TCP, in segments of `mss` bytes. Segments in the `backlog` count against the window; timers
    run on `irq`."""

    def __init__(
        self, env: Environment, irq: ServerCore, bills: ReceiverBills, window: ReceiveWindow, backlog: SocketBacklog,
        acks: AckWay, mss: int,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self._irq = irq
        self._bills = bills
        self.window = window
        self._backlog = backlog
        self._acks = acks
        self._mss = mss
        self._late = Timer(env, self._ack_late)
        self._quick = _QUICK
        self.queue: Fifo[QueuedPacket] = Fifo()
        self._beyond: list[tuple[int, int]] = []  # segments beyond a hole
        self.rcv_nxt = 0
        self.copied = 0
        self.out_of_order = self.duplicates = 0

    @property
    def _queued(self) -> int:
        """The segments that occupy the buffer."""
        beyond = sum([last - first for first, last in self._beyond]) if self._beyond else 0
        return self._backlog.segments + self.rcv_nxt - self.copied + beyond

    def receive(self, packet: WaitingPacket, tally: CycleTally) -> None:
        """A packet goes through TCP."""
        first, end = packet.first, packet.first + packet.count
        if first > self.rcv_nxt:
            self._beyond = union(self._beyond, first, end)
            self.out_of_order += packet.count
            self.ack(tally)
        elif end <= self.rcv_nxt:
            self.duplicates += packet.count
            self.ack(tally, duplicate=True)
        else:
            self._in_order(packet, tally)

    def _in_order(self, packet: WaitingPacket, tally: CycleTally) -> None:
        before, end, holes = self.rcv_nxt, packet.first + packet.count, bool(self._beyond)
        if holes and self._beyond[0][0] <= end:
            end = max(end, self._beyond.pop(0)[1])
        self.rcv_nxt = end
        self.queue.append(QueuedPacket(end - before, packet.mark))
        self.window.came(packet.count, end, self._queued, self._calendar.now)
        if holes or self._acks_now():
            self.ack(tally)
        elif not self._late.runs:
            self._late.set(self._calendar.now + _DELAYED)

    def _acks_now(self) -> bool:
        """Whether to acknowledge at once: always at first, later if more than one segment has arrived and the
        acknowledgement opens the window."""
        if self._quick:
            self._quick -= 1
            return True
        return self.rcv_nxt - self.window.wup > 1 and self.window.select(self._queued) >= self.window.offered

    def read(self, count: int) -> None:
        """The process has copied `count` segments of the first packet."""
        one = self.queue[0]
        one.segments -= count
        if not one.segments:
            self.queue.popleft()
        self.copied += count

    def call_over(self, tally: CycleTally) -> None:
        """A call that has read data notifies the sender of the room that it made."""
        window = self.window
        window.read(self.copied, self._calendar.now)
        if self.rcv_nxt - window.wup > 1 or window.may_double(self.rcv_nxt, self._queued):
            self.ack(tally)

    def ack(self, tally: CycleTally, *, duplicate: bool = False) -> None:
        """Send an acknowledgement, perhaps of a `duplicate`, once the work before it is done."""
        tally.add(self._bills.ack)
        self._late.cancel()
        edge = self.rcv_nxt + self.window.offer(self.rcv_nxt, self._queued) // self._mss
        ack = StreamAck(self.rcv_nxt, edge, tuple(self._beyond), duplicate)
        self._acks.put(self._calendar.now + tally.total, ack)

    def _ack_late(self) -> None:
        """The delayed acknowledgement's timer has expired, in a separate softirq."""
        tally = self._irq.softirq
        before = tally.total
        self.ack(tally)
        self._irq.occupy(tally.total - before)
