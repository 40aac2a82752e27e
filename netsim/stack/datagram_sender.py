"""The sending end of UDP on a current host: a process that sends one datagram per call, at a given rate or as fast as
its send buffer empties.

Source: Linux 5.4, net/ipv4/udp.c, udp_sendmsg; ip_output.c, ip_make_skb; net/core/sock.c, sock_alloc_send_pskb (a
process waits while its data under way fill the send buffer), sock_def_write_space (it is woken when less than half is
in use). A datagram's share of the buffer is returned when its memory is freed, once the driver knows that it was sent.
"""

from __future__ import annotations

from typing import final

from netsim.engine import Environment
from netsim.machine import Cost, ServerCore
from netsim.stack.datagram_bills import DatagramSenderBills
from netsim.stack.datagram_pacing import DatagramPacing
from netsim.stack.datagram_times import DatagramTimes
from netsim.stack.device_queue import DeviceQueue, SentPacket
from netsim.stack.shared_lines import SharedLines
from netsim.stack.socket_process import SocketProcess


@final
class DatagramSender(SocketProcess):
    """Datagrams have `length` bytes and occupy `size` bytes of a send buffer of `room` bytes."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: DatagramSenderBills, device: DeviceQueue,
        pacing: DatagramPacing, times: DatagramTimes, length: int, size: int, room: int,
    ) -> None:  # fmt: skip
        super().__init__(env, cores, bills.sleeping, asleep=False)
        self._bills = bills
        self.device = device
        self._pacing = pacing
        self._times = times
        self._length = length
        self._size = size
        self._room = room
        self._lock = SharedLines(bills.lock_lines)
        self._sends, self._checks = self._sent, self._check  # bound once
        self._blocked = False  # by the send buffer
        self._in_time = 0  # when the process had last sent all that was due
        self.datagrams = self.waits = 0

    def unsent(self, since: int) -> int:
        """See StreamRun."""
        behind = self._pacing.due(self._calendar.now) // self._length - self.datagrams
        return max(0, behind - 1) if self._in_time < since else 0

    # --- process ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The process begins to send."""
        self._go_on()

    def _go_on(self) -> None:
        """Send the next datagram, or sleep until there is room or the datagram is due."""
        if not self._pacing.green(self.datagrams * self._length, self._calendar.now):
            self._in_time = self._calendar.now
            self.waits += 1
            self._blocked = False
            self._sleep()
        elif self.device.segments * self._size >= self._room:
            self._blocked = True
            self._sleep()
        else:
            tally = self.core.process
            self._lock.by_process(tally)
            tally.add(self._bills.sent)
            self._times.sent(self._calendar.now)
            self.core.run(self._sends)

    def _sent(self) -> None:
        self.datagrams += 1
        self.device.put(SentPacket(self.datagrams, 1, self._calendar.now))
        self._go_on()

    def _slept(self) -> None:
        if self._blocked:
            super()._slept()
        else:
            self._calendar.call_at(self._pacing.next_check(self._calendar.now), self._checks, None)

    def _check(self, _: object) -> None:
        """The pacing timer has expired; a process that still has to sleep is not woken."""
        now = self._calendar.now
        if self._pacing.green(self.datagrams * self._length, now):
            self.wakeups += 1
            self.core.process.add(self._sleep_bills.wake)
            self._woken(None)
        else:
            self._calendar.call_at(self._pacing.next_check(now), self._checks, None)

    def _resumed(self) -> None:
        self._go_on()

    def _ready(self) -> bool:
        return 2 * self.device.segments * self._size <= self._room

    # --- softirq ------------------------------------------------------------------------------------------------------

    def frame_bill(self) -> Cost:
        """See PollUser."""
        return self._bills.frame

    def taken(self, frames: int, complete: bool) -> None:
        """See PollUser. Nothing is received, but sent frames leave the ring."""
        tally = self._irq.softirq
        now = self._calendar.now
        cleaned, _ = self.device.clean(now, now + tally.total)
        if cleaned:
            self._lock.by_softirq(tally)
            tally.add(self._bills.freed, cleaned)
        self._wake_if_ready(tally)

    def sent_at(self) -> int:
        """See PollUser."""
        return self.device.sent_at()
