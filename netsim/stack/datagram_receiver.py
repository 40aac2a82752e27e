"""The receiving end of UDP on a current host: softirqs put datagrams into the socket's queue while its buffer has room,
and a process reads one per call.

Source: Linux 5.4, net/ipv4/udp.c: __udp_enqueue_schedule_skb (a datagram is dropped if more than the buffer is in use),
__skb_recv_udp (when its private queue is empty, the process moves the whole socket queue there), udp_rmem_release (it
returns room a quarter of the buffer at a time, or when it has read everything).
"""

from __future__ import annotations

from typing import final

from netsim.engine import Environment, Fifo
from netsim.machine import Cost, ServerCore
from netsim.machine.tally import COPY
from netsim.nic import FrameTrains
from netsim.stack.datagram_bills import DatagramReceiverBills
from netsim.stack.datagram_times import DatagramTimes
from netsim.stack.landed_data import LandedData
from netsim.stack.shared_lines import SharedLines
from netsim.stack.socket_process import SocketProcess

Datagram = tuple[int, int]  # its number, and a mark of when its data reached memory


@final
class DatagramReceiver(SocketProcess):
    """Datagrams have `length` bytes and occupy `size` bytes of a receive buffer of `room` bytes."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: DatagramReceiverBills, landed: LandedData,
        trains: FrameTrains, times: DatagramTimes, length: int, size: int, room: int,
    ) -> None:  # fmt: skip
        super().__init__(env, cores, bills.sleeping, asleep=True)
        self._bills = bills
        self._landed = landed
        self._trains = trains
        self._times = times
        self._length = length
        self._size = size
        self._room = room
        self._lock = SharedLines(bills.lock_lines)
        self._reads = self._read  # bound once
        self._queue: Fifo[Datagram] = Fifo()
        self._own: Fifo[Datagram] = Fifo()  # the process's private queue
        self._used = self._unreturned = 0  # bytes of the buffer in use, and how many of them were read
        self.frames = self.datagrams = self.dropped = 0

    @property
    def queued(self) -> int:
        """Datagrams that have not been read."""
        return len(self._queue) + len(self._own)

    # --- softirq ------------------------------------------------------------------------------------------------------

    def frame_bill(self) -> Cost:
        """See PollUser."""
        return self._bills.frame

    def taken(self, frames: int, complete: bool) -> None:
        """See PollUser."""
        tally = self._irq.softirq
        runs = self._trains.take(frames, self._lost)
        self._landed.came(frames * self._length)
        self.frames += frames
        tally.add(self._bills.packet, frames)
        tally.add(self._bills.queued, frames)
        if frames:
            self._lock.by_softirq(tally)
        for first, count in runs:
            for number in range(first, first + count):
                self._enqueue(number)
        self._wake_if_ready(tally)

    def _enqueue(self, number: int) -> None:
        if self._used > self._room:
            self.dropped += 1
        else:
            self._used += self._size
            self._queue.append((number, self._landed.bytes))

    # --- process ------------------------------------------------------------------------------------------------------

    def _ready(self) -> bool:
        return bool(self._queue)

    def _resumed(self) -> None:
        self._go_on()

    def _go_on(self) -> None:
        """Read the next datagram, or sleep."""
        if not self._own and self._queue:
            self._lock.by_process(self.core.process)
            while self._queue:
                self._own.append(self._queue.popleft())
        if self._own:
            tally, bills = self.core.process, self._bills
            tally.add(bills.read)
            tally.spend(COPY, bills.copy.time(self._landed.since(self._own[0][1])))
            self.core.run(self._reads)
        else:
            self._sleep()

    def _read(self) -> None:
        """The call returns with the datagram."""
        number, _ = self._own.popleft()
        self.datagrams += 1
        self._unreturned += self._size
        if not self._own or 4 * self._unreturned >= self._room:
            self._used -= self._unreturned
            self._unreturned = 0
        self._times.came(number, self._calendar.now)
        self._go_on()
