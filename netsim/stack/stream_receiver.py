"""The receiving end of a TCP stream on a current host: softirqs with GRO and the process that reads, which share the
socket.

Source: Linux 5.4, net/ipv4/tcp_ipv4.c, tcp_v4_rcv: while the process is in a system call it owns the socket, and
packets wait in the socket's backlog; net/core/sock.c, release_sock; net/ipv4/tcp.c, tcp_recvmsg: a call continues while
there is a backlog, sleeps while it has read nothing, and otherwise returns when nothing is left.
"""

from __future__ import annotations

from typing import final

from netsim.engine import Environment
from netsim.machine import Cost, ServerCore
from netsim.machine.tally import COPY
from netsim.nic import FrameTrains
from netsim.stack.gro import Gro
from netsim.stack.landed_data import LandedData
from netsim.stack.shared_lines import SharedLines
from netsim.stack.socket_backlog import SocketBacklog, WaitingPacket
from netsim.stack.socket_process import SocketProcess
from netsim.stack.stream_bills import ReceiverBills
from netsim.stack.stream_input import StreamInput


@final
class StreamReceiver(SocketProcess):
    """The process reads `length` bytes per call; segments have `mss` bytes."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: ReceiverBills, tcp: StreamInput,
        backlog: SocketBacklog, gro: Gro, landed: LandedData, trains: FrameTrains, mss: int, length: int,
    ) -> None:  # fmt: skip
        super().__init__(env, cores, bills.sleeping, asleep=True)
        self._bills = bills
        self.tcp = tcp
        self.backlog = backlog
        self._gro = gro
        self._landed = landed
        self._trains = trains
        self._mss = mss
        self._length = length
        self._reads, self._begins = self._read, self._begun  # bound once
        self._lock, self._socket = SharedLines(bills.lock_lines), SharedLines(bills.socket_lines)
        self._counts = SharedLines(bills.backlog_lines)
        self._owned = False  # by the process
        self._call = 0  # bytes that this call has read
        self._copying = 0  # segments
        self.frames = self.packets = 0

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
        self._wake_if_ready(self._irq.softirq)

    def _up(self, first: int, count: int) -> None:
        """A packet goes up to TCP, or into the backlog."""
        tally, bills = self._irq.softirq, self._bills
        tally.add(bills.packet)
        self._lock.by_softirq(tally)
        self.packets += 1
        mark = self._landed.bytes
        if self._owned:
            self._counts.by_softirq(tally)
            tally.add(bills.backlog)
            if self.backlog.put(first, count, mark):
                tally.add(bills.join)
        else:
            self._socket.by_softirq(tally)
            tally.add(bills.receive)
            self.tcp.receive(WaitingPacket(first, count, mark), tally)

    # --- process ------------------------------------------------------------------------------------------------------

    def _ready(self) -> bool:
        return bool(self.tcp.queue)

    def _resumed(self) -> None:
        self.core.run(self._begins)

    def _begun(self) -> None:
        """The process owns the socket."""
        self._owned = True
        self._lock.by_process(self.core.process)
        self._go_on()

    def _go_on(self) -> None:
        """Read the next packet, take up the backlog, end the call, or sleep."""
        if self.tcp.queue and self._call < self._length:
            self._copy()
            self.core.run(self._reads)
        elif self.backlog:
            self._release()
            self.core.run(self._reads)
        elif self._call:
            self._end_call()
            self.core.run(self._begins)
        else:
            self._owned = False
            self._sleep()

    def _copy(self) -> None:
        one = self.tcp.queue[0]
        self._copying = min(one.segments, -(-(self._length - self._call) // self._mss))
        tally, bills = self.core.process, self._bills
        self._socket.by_process(tally)
        self._counts.by_process(tally)
        tally.add(bills.segment, self._copying)
        tally.spend(COPY, self._copying * bills.copy.time(self._landed.since(one.mark)))

    def _read(self) -> None:
        """The process has the copied data; continue the call."""
        if self._copying:
            self.tcp.read(self._copying)
            self._call += self._copying * self._mss
            self._copying = 0
        self._go_on()

    def _end_call(self) -> None:
        """The call returns, and the process calls again; in between the socket is free."""
        tally = self.core.process
        tally.add(self._bills.call)
        self._call = 0
        self.tcp.call_over(tally)
        self._owned = False

    def _release(self) -> None:
        """Take packets of the backlog through TCP, in the process's time."""
        tally = self.core.process
        self._lock.by_process(tally)
        self._socket.by_process(tally)
        self._counts.by_process(tally)
        while self.backlog:
            tally.add(self._bills.take_up)
            self.tcp.receive(self.backlog.take(), tally)
