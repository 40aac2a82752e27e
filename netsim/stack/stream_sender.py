"""The sending end of a TCP stream on a current host: the process that writes, and the handling of acknowledgements and
timers.

Source: Linux 5.17, net/ipv4/tcp.c, tcp_sendmsg_locked (a process that writes owns the socket; every sixteen packets it
takes up the backlog); tcp_input.c, tcp_ack, tcp_sndbuf_expand, tcp_check_space; tcp_output.c, tcp_send_probe0; RFC
6298.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Environment, Fifo
from netsim.engine.timers import Timer
from netsim.machine import Cost, CycleTally, ServerCore
from netsim.stack.send_buffer import SendBuffer
from netsim.stack.shared_lines import SharedLines
from netsim.stack.socket_process import SocketProcess
from netsim.stack.stream_bills import SenderBills
from netsim.stack.stream_output import StreamOutput
from netsim.stack.stream_rtt import StreamRtt
from netsim.stack.stream_way import AckWay, StreamAck

_FLUSHED: Final = 16  # packets after which a call takes up the backlog


@final
class StreamSender(SocketProcess):
    """The process writes `length` bytes per call, and short calls fill a packet together; segments have `mss` bytes.
    Timers count in units of a `jiffy` (ps)."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: SenderBills, output: StreamOutput,
        buffer: SendBuffer, acks: AckWay, mss: int, length: int, jiffy: int,
    ) -> None:  # fmt: skip
        super().__init__(env, cores, bills.sleeping, asleep=False)
        self._bills = bills
        self.output = output
        self._buffer = buffer
        self._acks = acks
        self._mss = mss
        self._length = length
        self._jiffy = jiffy
        self._writes = self._written  # bound once
        self.rtt = StreamRtt()
        self._timer = Timer(env, self._expired)
        self._lock, self._socket = SharedLines(bills.lock_lines), SharedLines(bills.socket_lines)
        self._owned = False
        self._probe_end = 0  # just after the segment sent as a tail loss probe; 0: none, or its fate is known
        self._persists = False  # the timer waits for the window to open
        self._making = self._made = 0  # segments of the packet being made; packets since the backlog was taken up
        self._call = 0  # bytes that this call has written
        self._backlog: Fifo[StreamAck] = Fifo()
        self.timeouts = self.recoveries = self.probes = 0
        self.acks = 0

    # --- process ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The process begins to write."""
        self._owned = True
        self._go_on()

    @property
    def _unacknowledged(self) -> int:
        """The number of segments in the send buffer."""
        return self.output.write_seq - self.output.snd_una

    def _go_on(self) -> None:
        """Write another packet, end the call, or sleep until there is room."""
        if self._call >= self._length:
            self._end_calls()
        if self._buffer.full(self._unacknowledged):
            self._flush()
        if self._buffer.full(self._unacknowledged):
            self._owned = False
            self._sleep()
            return
        self._making = self.output.goal
        calls = (self._call + self._making * self._mss) // self._length
        tally = self.core.process
        tally.add(self._bills.call, max(0, calls - 1))  # the last one ends after the packet has been sent
        tally.add(self._bills.packet)
        tally.add(self._bills.segment, self._making)
        self.core.run(self._writes)

    def _written(self) -> None:
        """A packet is in the send queue."""
        self.output.write_seq += self._making
        self._call += self._making * self._mss
        self._made += 1
        if self._made >= _FLUSHED:
            self._flush()
        self._socket.by_process(self.core.process)
        self._transmit(self.core.process)
        self._go_on()

    def _end_calls(self) -> None:
        self.core.process.add(self._bills.call)
        self._call %= self._length
        self._flush()

    def _flush(self) -> None:
        """Take up the backlog."""
        self._made = 0
        self._lock.by_process(self.core.process)
        while self._backlog:
            self.core.process.add(self._bills.take_up)
            self._acked(self._backlog.popleft(), self.core.process)

    def _ready(self) -> bool:
        return self._buffer.writable(self._unacknowledged)

    def _resumed(self) -> None:
        self._lock.by_process(self.core.process)
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
                self._came(self._acks.take(number), tally)
        self._wake_if_ready(tally)

    def _came(self, ack: StreamAck, tally: CycleTally) -> None:
        self._lock.by_softirq(tally)
        if self._owned:
            tally.add(self._bills.backlog)
            self._backlog.append(ack)
        else:
            self._socket.by_softirq(tally)
            tally.add(self._bills.ack)
            self._acked(ack, tally)

    def _clean(self, tally: CycleTally) -> None:
        """Packets that the adapter has sent leave the ring."""
        now = self._calendar.now
        cleaned, _ = self.output.device.clean(now, now + tally.total)
        tally.add(self._bills.cleaned, cleaned)
        if cleaned and self.output.throttled and not self._owned:
            self._socket.by_softirq(tally)
            self._transmit(tally)

    def sent_at(self) -> int:
        """See PollUser."""
        return self.output.device.sent_at()

    # --- acknowledgements ---------------------------------------------------------------------------------------------

    def _acked(self, ack: StreamAck, tally: CycleTally) -> None:
        self.acks += 1
        now, output = self._calendar.now, self.output
        output.edge = max(output.edge, ack.edge)
        new = ack.rcv_nxt - output.snd_una
        if new > 0:
            self._free(new, ack.rcv_nxt, tally, now)
        if self._probe_end and ack.rcv_nxt >= self._probe_end:
            self._judge_probe(ack)
        self._recover(ack)
        if new > 0:
            self._grow(new, now)
        self._transmit(tally)
        if new > 0:
            self._rearm(now)

    def _free(self, new: int, rcv_nxt: int, tally: CycleTally, now: int) -> None:
        """Free acknowledged packets; the last one gives the round trip, unless some were sent again (Karn)."""
        tally.add(self._bills.freed_segment, new)
        output = self.output
        last = output.acknowledged(rcv_nxt)
        probe = rcv_nxt - new < self._probe_end <= rcv_nxt
        if last is not None and not probe and not output.recovery.under_way:
            self.rtt.measured(now - last.time)
            output.window.measured(now - last.time, now, output.snd_una, output.snd_nxt, output.rate)

    def _judge_probe(self, ack: StreamAck) -> None:
        """The tail loss probe repaired a loss if data sent after it are acknowledged, and the receiver has not reported
        it as a duplicate (RFC 8985, 7.4; tcp_process_tlp_ack)."""
        if ack.duplicate:
            self._probe_end = 0
        elif ack.rcv_nxt > self._probe_end:
            self._probe_end = 0
            self.output.window.lost()

    def _recover(self, ack: StreamAck) -> None:
        output, recovery = self.output, self.output.recovery
        if not ack.sacked and not recovery.under_way:
            return
        recovery.learn(ack.sacked, output.snd_una)
        if not recovery.under_way and recovery.lost(output.snd_una):
            recovery.begin(output.snd_nxt)
            output.window.lost()
            self._probe_end = 0
            self.recoveries += 1

    def _grow(self, new: int, now: int) -> None:
        output, window = self.output, self.output.window
        if (not output.recovery.under_way or window.slow_start) and output.fills_window:
            window.acked(new, now)
        self._buffer.expand(window.cwnd)
        output.pace(self.rtt.smoothed)

    def _transmit(self, tally: CycleTally) -> None:
        before = self.output.packets
        self.output.transmit(tally)
        if self.output.packets != before:
            if self._persists or not self._timer.runs:
                self._timer.set(self._calendar.now + self.rtt.timeout)
            self._persists = False
        elif self.output.shut_out and not self._timer.runs:
            self._persist()

    def _persist(self) -> None:
        """Nothing is under way that could bring an acknowledgement, and the one that opens the window may get lost: ask
        for another in a while."""
        self._persists = True
        self._timer.set(self._calendar.now + self.rtt.timeout)

    # --- timers -------------------------------------------------------------------------------------------------------

    def _rearm(self, now: int) -> None:
        """Set the timer of the tail loss probe, or of the retransmission timeout."""
        out = self.output.out
        if self.output.shut_out:
            self._persist()
        elif not out:
            self._timer.cancel()
        elif self._probe_end or self.output.recovery.under_way:
            self._timer.set(now + self.rtt.timeout)
        else:
            self._timer.set(now + self.rtt.probe_time(self._jiffy, out == 1))

    def _expired(self) -> None:
        """Nothing was acknowledged for too long: send the last segment again (a tail loss probe), and the next time all
        segments. With a shut window, whatever comes twice is acknowledged with the present window."""
        tally, output = self._irq.softirq, self.output
        before = tally.total
        if self._irq.rests:
            tally.add(self._sleep_bills.idle_exit)
        if output.shut_out:
            self.rtt.back_off()
            output.send(output.snd_nxt - 1, 1, tally)
        elif self._probe_end or output.recovery.under_way:
            self.timeouts += 1
            self.rtt.back_off()
            output.window.timed_out(again=output.recovery.under_way)
            output.recovery.begin(output.snd_nxt, timeout=True)
            self._probe_end = 0
            output.transmit(tally)
        else:
            self._probe_end = output.snd_nxt
            self.probes += 1
            output.send(output.snd_nxt - 1, 1, tally)
        self._timer.set(self._calendar.now + self.rtt.timeout)
        self._irq.occupy(tally.total - before)
