"""The receiving end of a TCP stream on a host of today: GRO, the protocol, and the process that reads.

Source: Linux 5.17, net/ipv4/tcp_ipv4.c, tcp_v4_rcv: while the process is in a system call the socket is its own, and
packets wait in the socket's backlog until it comes out; tcp_input.c, __tcp_ack_snd_check; tcp.c, tcp_recvmsg_locked and
tcp_cleanup_rbuf.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Environment, Fifo
from netsim.engine.timers import Timer
from netsim.machine import Cost, CycleTally, PollUser, ServerCore
from netsim.machine.tally import COPY
from netsim.nic import FrameTrains
from netsim.stack.gro import Gro
from netsim.stack.landed_data import LandedData
from netsim.stack.receive_window import ReceiveWindow
from netsim.stack.scoreboard import union
from netsim.stack.stream_bills import ReceiverBills
from netsim.stack.stream_way import AckWay, StreamAck
from netsim.units.constants import MS

_DELAYED: Final = 40 * MS  # TCP_DELACK_MIN
_QUICK: Final = 16  # acknowledgements at once when a connection begins (TCP_MAX_QUICKACKS)


@final
class QueuedPacket:
    """`segments` in the receive queue, with the `mark` of when their data came to memory."""

    __slots__ = ("mark", "segments")

    def __init__(self, segments: int, mark: int) -> None:
        self.segments = segments
        self.mark = mark


@final
class StreamReceiver(PollUser):
    """Softirqs run on `irq`, the process on `core`, which may be the same. It reads `length` bytes a call."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: ReceiverBills, window: ReceiveWindow,
        gro: Gro, landed: LandedData, trains: FrameTrains, acks: AckWay, mss: int, length: int,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.core, self._irq = cores
        self._bills = bills
        self.window = window
        self._gro = gro
        self._landed = landed
        self._trains = trains
        self._acks = acks
        self._mss = mss
        self._length = length
        self._reads, self._sleeps, self._wakes = self._read, self._slept, self._woken  # bound once
        self._late = Timer(env, self._ack_late)
        self._owned = False  # by the process
        self._asleep = True
        self._quick = _QUICK
        self._queue: Fifo[QueuedPacket] = Fifo()
        self._backlog: Fifo[tuple[int, int, int]] = Fifo()  # first segment, how many, mark
        self._beyond: list[tuple[int, int]] = []  # segments behind a hole
        self._lost: list[tuple[int, int]] = []  # frames
        self._call = 0  # bytes that this call has read
        self._copying = 0  # segments
        self.rcv_nxt = 0  # segments
        self.copied = 0
        self._queued = 0  # with those in the backlog, and those behind a hole
        self.frames = self.packets = self.out_of_order = self.duplicates = 0
        self.wakeups = self.calls = self.backlogged = 0

    def listen_to(self, lost: list[tuple[int, int]]) -> None:
        """Where the queue writes which frames were dropped."""
        self._lost = lost

    # --- softirq ------------------------------------------------------------------------------------------------------

    def frame_bill(self) -> Cost:
        """See PollUser."""
        return self._bills.frame

    def taken(self, frames: int, complete: bool) -> None:
        """See PollUser."""
        runs = self._trains.take(frames, self._lost)
        self._landed.came(frames * self._mss)
        self.frames += frames
        for first, count in self._gro.merge(runs, complete):
            self._up(first, count)
        if self._queue and self._asleep:
            self._wake(self._irq.softirq)

    def _up(self, first: int, count: int) -> None:
        """A packet goes up to TCP, or into the backlog."""
        tally = self._irq.softirq
        tally.add(self._bills.packet)
        self.packets += 1
        self._queued += count
        mark = self._landed.bytes
        if self._owned:
            tally.add(self._bills.backlog)
            self._backlog.append((first, count, mark))
            self.backlogged += 1
        else:
            tally.add(self._bills.receive)
            self._receive(first, count, mark, tally)

    def _receive(self, first: int, count: int, mark: int, tally: CycleTally) -> None:
        if first > self.rcv_nxt:
            self._beyond = union(self._beyond, first, first + count)
            self._queued = self._queued_now()
            self.out_of_order += count
            self._ack(tally)
        elif first + count <= self.rcv_nxt:
            self._queued -= count
            self.duplicates += count
            self._ack(tally)
        else:
            self._in_order(first + count, mark, tally)

    def _queued_now(self) -> int:
        waiting = sum([count for _, count, _ in self._backlog]) + sum([last - first for first, last in self._beyond])
        return waiting + self.rcv_nxt - self.copied

    def _in_order(self, end: int, mark: int, tally: CycleTally) -> None:
        before, holes = self.rcv_nxt, bool(self._beyond)
        if holes and self._beyond[0][0] <= end:
            end = max(end, self._beyond.pop(0)[1])
        self.rcv_nxt = end
        self._queue.append(QueuedPacket(end - before, mark))
        if holes:
            self._queued = self._queued_now()
        self.window.came(end, self._queued, self._calendar.now)
        if holes or self._at_once():
            self._ack(tally)
        elif not self._late.runs:
            self._late.set(self._calendar.now + _DELAYED)

    def _at_once(self) -> bool:
        """Whether an acknowledgement is due: more than a segment came, and the window opens by it."""
        if self._quick:
            self._quick -= 1
            return True
        return self.rcv_nxt - self.window.wup > 1 and self.window.select(self._queued) >= self.window.offered

    def _ack(self, tally: CycleTally) -> None:
        """It leaves when what is to be done until then is done."""
        tally.add(self._bills.ack)
        self._late.cancel()
        edge = self.rcv_nxt + self.window.offer(self.rcv_nxt, self._queued) // self._mss
        ack = StreamAck(self.rcv_nxt, edge, tuple(self._beyond))
        self._acks.put(self._calendar.now + tally.total, ack)

    def _ack_late(self) -> None:
        """The delayed acknowledgement's timer, in a softirq of its own."""
        tally = self._irq.softirq
        before = tally.total
        self._ack(tally)
        self._irq.occupy(tally.total - before)

    def _wake(self, tally: CycleTally) -> None:
        self._asleep = False
        self.wakeups += 1
        tally.add(self._bills.wake)
        self._calendar.call_at(self._calendar.now + tally.total + self._bills.wake_time, self._wakes, None)

    # --- process ------------------------------------------------------------------------------------------------------

    def _woken(self, _: object) -> None:
        if self.core.idle:
            self.core.process.add(self._bills.idle)
        self.core.process.add(self._bills.switch)
        self._owned = True
        self._go_on()

    def _go_on(self) -> None:
        """The next packet, the end of a call, or sleep."""
        if self._queue and self._call < self._length:
            self._copy()
            self.core.run(self._reads)
        elif self._call:
            self._end_call()
            self.core.run(self._reads)
        elif self._backlog:
            self._release()
            self.core.run(self._reads)
        else:
            self._owned = False
            self.core.process.add(self._bills.sleep)
            self.core.run(self._sleeps)

    def _copy(self) -> None:
        one = self._queue[0]
        self._copying = min(one.segments, -(-(self._length - self._call) // self._mss))
        tally, bills = self.core.process, self._bills
        tally.add(bills.segment, self._copying)
        tally.spend(COPY, self._copying * bills.copy_time(self._landed.since(one.mark)))

    def _read(self) -> None:
        """What was copied is the process's; the rest of the call."""
        if self._copying:
            one, count = self._queue[0], self._copying
            one.segments -= count
            if not one.segments:
                self._queue.popleft()
            self.copied += count
            self._queued -= count
            self._call += count * self._mss
            self._copying = 0
        self._go_on()

    def _end_call(self) -> None:
        """It tells the sender of room, takes up what came meanwhile, and calls again."""
        tally, window = self.core.process, self.window
        tally.add(self._bills.call)
        self.calls += 1
        self._call = 0
        window.read(self.copied, self._calendar.now)
        if self.rcv_nxt - window.wup > 1 or window.may_double(self.rcv_nxt, self._queued):
            self._ack(tally)
        self._release()

    def _release(self) -> None:
        """Packets of the backlog go through TCP, on the process's account."""
        while self._backlog:
            first, count, mark = self._backlog.popleft()
            self.core.process.add(self._bills.take_up)
            self._receive(first, count, mark, self.core.process)

    def _slept(self) -> None:
        if self._queue:
            self.core.process.add(self._bills.switch)
            self._owned = True
            self._go_on()
        else:
            self._asleep = True
