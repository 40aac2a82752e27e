"""The sending end of a TCP stream on a host of today: the process that writes, the protocol, and what waits below it.

Source: Linux 5.17, net/ipv4/tcp.c, tcp_sendmsg_locked (a process that writes has the socket for itself; every sixteen
packets it takes up what waits in the backlog); tcp_output.c, tcp_write_xmit; tcp_input.c, tcp_ack,
tcp_sndbuf_expand, tcp_check_space; RFC 6298.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Environment, Fifo
from netsim.engine.timers import Timer
from netsim.machine import Cost, CycleTally, PollUser, ServerCore
from netsim.stack.autosizing import defers, goal, pacing_rate, queue_limit
from netsim.stack.congestion_window import Reno
from netsim.stack.send_buffer import SendBuffer
from netsim.stack.stream_bills import SenderBills
from netsim.stack.stream_recovery import StreamRecovery
from netsim.stack.stream_rtt import StreamRtt
from netsim.stack.stream_way import AckWay, StreamAck, StreamWay

_FLUSHED: Final = 16  # packets after which a call takes up the backlog
_CLEANED: Final = 128  # packets that a poll cleans, at most


@final
class SentPacket:
    """Segments up to `end`, sent at `time`; the adapter has sent them at `out` (ps)."""

    __slots__ = ("end", "out", "segments", "time")

    def __init__(self, end: int, segments: int, time: int, out: int) -> None:
        self.end = end
        self.segments = segments
        self.time = time
        self.out = out


@final
class StreamSender(PollUser):
    """Softirqs run on `irq`, the process on `core`, which may be the same. It writes `length` bytes a call. With `tso`
    packets have several segments; the receiver takes `edge` of them at first. That a packet is out can be known
    `sent_latency` (ps) later; timers count a `jiffy`."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: SenderBills, window: Reno,
        buffer: SendBuffer, way: StreamWay, acks: AckWay, mss: int, length: int, tso: bool, edge: int,
        sent_latency: int, jiffy: int,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.core, self._irq = cores
        self._bills = bills
        self.window = window
        self._buffer = buffer
        self._way = way
        self._acks = acks
        self._mss = mss
        self._length = length
        self._tso = tso
        self._sent_latency = sent_latency
        self._jiffy = jiffy
        self._writes, self._sleeps, self._wakes = self._written, self._slept, self._woken  # bound once
        self.rtt = StreamRtt()
        self.recovery = StreamRecovery()
        self._timer = Timer(env, self._expired)
        self._owned = self._asleep = self._probed = False
        self._making = self._made = 0  # segments of the packet that is made; packets since the backlog was taken up
        self._call = 0  # bytes that this call has written
        self._backlog: Fifo[StreamAck] = Fifo()
        self._lost: list[tuple[int, int]] = []  # frames
        self.write_seq = self.snd_nxt = self.snd_una = 0  # segments
        self._edge = edge
        self._goal = 2 if tso else 1
        self._rate = 0  # bytes/s, of pacing
        self._unacked: Fifo[SentPacket] = Fifo()
        self._below: Fifo[SentPacket] = Fifo()  # not known to be sent
        self._below_segments = 0
        self._throttled = False
        self._limited = False  # by the congestion window
        self._most_out = self._most_out_until = 0
        self.packets = self.segments = self.retransmitted = self.timeouts = self.recoveries = self.probes = 0
        self.acks = self.wakeups = self.calls = 0

    def listen_to(self, lost: list[tuple[int, int]]) -> None:
        """Where the queue writes which frames were dropped."""
        self._lost = lost

    # --- process ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """It begins to write."""
        self._owned = True
        self._go_on()

    def _go_on(self) -> None:
        """One more packet, the end of a call, or sleep until there is room."""
        if self._call >= self._length:
            self._end_call()
        if self._buffer.full(self.write_seq - self.snd_una):
            self._flush()
        if self._buffer.full(self.write_seq - self.snd_una):
            self._owned = False
            self.core.process.add(self._bills.sleep)
            self.core.run(self._sleeps)
            return
        self._making = self._goal
        tally = self.core.process
        tally.add(self._bills.packet)
        tally.add(self._bills.segment, self._making)
        self.core.run(self._writes)

    def _written(self) -> None:
        """A packet is in the send queue."""
        self.write_seq += self._making
        self._call += self._making * self._mss
        self._made += 1
        if self._made >= _FLUSHED:
            self._flush()
        self._transmit(self.core.process)
        self._go_on()

    def _end_call(self) -> None:
        self.core.process.add(self._bills.call)
        self.calls += 1
        self._call = max(0, self._call - self._length)
        self._flush()

    def _flush(self) -> None:
        """It takes up what came meanwhile."""
        self._made = 0
        while self._backlog:
            self.core.process.add(self._bills.take_up)
            self._acked(self._backlog.popleft(), self.core.process)

    def _slept(self) -> None:
        if self._buffer.writable(self.write_seq - self.snd_una):
            self._resume()
        else:
            self._asleep = True

    def _woken(self, _: object) -> None:
        if self.core.idle:
            self.core.process.add(self._bills.idle)
        self._resume()

    def _resume(self) -> None:
        self.core.process.add(self._bills.switch)
        self._owned = True
        self._go_on()

    # --- softirq ------------------------------------------------------------------------------------------------------

    def frame_bill(self) -> Cost:
        """See PollUser."""
        return self._bills.frame

    def taken(self, frames: int, complete: bool) -> None:
        """See PollUser."""
        tally = self._irq.softirq
        self._clean(tally)
        for first, count in self._acks.way.trains.take(frames, self._lost):
            for number in range(first, first + count):
                ack = self._acks.take(number)
                if self._owned:
                    tally.add(self._bills.backlog)
                    self._backlog.append(ack)
                else:
                    tally.add(self._bills.ack)
                    self._acked(ack, tally)
        if self._asleep and self._buffer.writable(self.write_seq - self.snd_una):
            self._wake(tally)

    def _clean(self, tally: CycleTally) -> None:
        """What the adapter has sent leaves the ring."""
        cleaned = 0
        while self._below and cleaned < _CLEANED and self._below[0].out <= self._calendar.now:
            self._below_segments -= self._below.popleft().segments
            tally.add(self._bills.cleaned)
            cleaned += 1
        if cleaned and self._throttled and not self._owned:
            self._transmit(tally)

    def sent_at(self) -> int:
        """See PollUser."""
        return self._below[0].out if self._below else -1

    def _wake(self, tally: CycleTally) -> None:
        self._asleep = False
        self.wakeups += 1
        tally.add(self._bills.wake)
        self._calendar.call_at(self._calendar.now + tally.total + self._bills.wake_time, self._wakes, None)

    # --- acknowledgements ---------------------------------------------------------------------------------------------

    def _acked(self, ack: StreamAck, tally: CycleTally) -> None:
        self.acks += 1
        now = self._calendar.now
        self._edge = max(self._edge, ack.edge)
        new = ack.rcv_nxt - self.snd_una
        if new > 0:
            self.snd_una = ack.rcv_nxt
            self._free(new, tally, now)
            self._probed = False
        self._recover(ack, now)
        if new > 0:
            self._grow(new, now)
        self._transmit(tally)
        if new > 0:
            self._rearm(now)

    def _rearm(self, now: int) -> None:
        """The timer of the tail loss probe, or of the retransmission timeout."""
        if self.snd_una == self.snd_nxt:
            self._timer.cancel()
        elif self._probed or self.recovery.under_way:
            self._timer.set(now + self.rtt.timeout)
        else:
            self._timer.set(now + self.rtt.probe_time(self._jiffy, self.snd_nxt - self.snd_una == 1))

    def _free(self, new: int, tally: CycleTally, now: int) -> None:
        """Packets that are acknowledged are freed; the last one gives the round trip, unless some were lost."""
        tally.add(self._bills.freed_segment, new)
        last: SentPacket | None = None
        while self._unacked and self._unacked[0].end <= self.snd_una:
            last = self._unacked.popleft()
        if last is not None and not self.recovery.under_way:
            self.rtt.measured(now - last.time)
            self.window.measured(now - last.time, now, self.snd_una, self.snd_nxt)

    def _recover(self, ack: StreamAck, now: int) -> None:
        recovery = self.recovery
        if not ack.sacked and not recovery.under_way:
            return
        recovery.told(ack.sacked, self.snd_una)
        if not recovery.under_way and recovery.lost(self.snd_una):
            recovery.begin(self.snd_nxt)
            self.window.lost()
            self.recoveries += 1

    def _grow(self, new: int, now: int) -> None:
        window = self.window
        if not self.recovery.under_way or window.slow_start:
            limited = window.cwnd < 2 * self._most_out if window.slow_start else self._limited
            if limited:
                window.acked(new, now)
        self._buffer.expand(window.cwnd)
        out = max(window.cwnd, self.snd_nxt - self.snd_una)
        self._rate = pacing_rate(self._mss, out, window.cwnd < window.ssthresh // 2, self.rtt.smoothed)
        if self._tso:
            self._goal = goal(self._rate, self._mss)

    def _expired(self) -> None:
        """Nothing was acknowledged for too long: the last segment is sent again (a tail loss probe), and then all."""
        tally = self._irq.softirq
        before = tally.total
        if self._probed or self.recovery.under_way:
            self.timeouts += 1
            self.rtt.back_off()
            self.recovery.begin(self.snd_nxt, timeout=True)
            self.window.timed_out()
            self._transmit(tally)
        else:
            self._probed = True
            self.probes += 1
            self._send(self.snd_nxt - 1, 1, tally)
        self._timer.set(self._calendar.now + self.rtt.timeout)
        self._irq.occupy(tally.total - before)

    # --- what goes out ------------------------------------------------------------------------------------------------

    def _transmit(self, tally: CycleTally) -> None:
        """As much as windows and the limit of what waits below allow."""
        room = self._room()
        if self.recovery.under_way:
            room = self._retransmit(room, tally)
        limit = queue_limit(self._rate, self._goal * self._mss)
        self._throttled = self._limited = False
        while (unsent := self.write_seq - self.snd_nxt) > 0:
            allowed = min(room, self._edge - self.snd_nxt)
            if allowed <= 0:
                self._limited = room <= 0
                break
            count = min(allowed, unsent, self._goal)
            if self._waits(count, unsent):
                self._limited = room < self._edge - self.snd_nxt
                break
            if self._below_segments * self._mss > limit and self._unacked:
                self._throttled = True
                break
            self._send(self.snd_nxt, count, tally)
            self.snd_nxt += count
            room -= count
        self._note_most()

    def _room(self) -> int:
        """Segments that the congestion window has left."""
        if self.recovery.under_way:
            return self.window.cwnd - self.recovery.pipe(self.snd_una, self.snd_nxt)
        return self.window.cwnd - (self.snd_nxt - self.snd_una)

    def _waits(self, count: int, unsent: int) -> bool:
        if not self._tso or self.snd_nxt == self.snd_una:
            return False
        return defers(count, min(unsent, self._goal), min(self.window.cwnd, self._edge - self.snd_una))

    def _note_most(self) -> None:
        out = self.snd_nxt - self.snd_una
        if self.snd_una >= self._most_out_until or out > self._most_out:
            self._most_out, self._most_out_until = out, self.snd_nxt

    def _retransmit(self, room: int, tally: CycleTally) -> int:
        for first, last in self.recovery.lost(self.snd_una):
            while first < last and room > 0:
                count = min(last - first, room, self._goal)
                self._send(first, count, tally)
                self.recovery.sent_again(first, first + count, self.snd_nxt)
                self.retransmitted += count
                first += count
                room -= count
        return room

    def _send(self, first: int, count: int, tally: CycleTally) -> None:
        """A packet goes to the adapter, once what is to be done until then is done."""
        tally.add(self._bills.send)
        tally.add(self._bills.handed, count)
        now = self._calendar.now
        time = now + tally.total
        out = self._way.put(time, first, count) + self._sent_latency
        packet = SentPacket(first + count, count, time, out)
        self._below.append(packet)
        self._below_segments += count
        if first >= self.snd_nxt:
            self._unacked.append(packet)
        if not self._timer.runs:
            self._timer.set(now + self.rtt.timeout)
        self.packets += 1
        self.segments += count
