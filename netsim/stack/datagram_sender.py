"""The sending end of UDP on a current host: a process that sends one datagram per call, at a given rate or as fast as
its send buffer empties.

Source: Linux 5.4, net/ipv4/udp.c, udp_sendmsg; ip_output.c, ip_make_skb; net/core/sock.c, sock_alloc_send_pskb (a
process waits while its data under way fill the send buffer), sock_def_write_space (it is woken when less than half is
in use). A datagram's share of the buffer is returned when its memory is freed, once the driver knows that it was sent.
"""

from __future__ import annotations

from typing import final

from netsim.engine import Environment
from netsim.machine import Cost, CycleTally, PollUser, ServerCore
from netsim.stack.datagram_bills import DatagramSenderBills
from netsim.stack.datagram_pacing import DatagramPacing
from netsim.stack.datagram_times import DatagramTimes
from netsim.stack.device_queue import DeviceQueue, SentPacket
from netsim.stack.shared_lines import SharedLines


@final
class DatagramSender(PollUser):
    """Softirqs run on `irq`, the process on `core`, which may be the same core. Datagrams have `length` bytes and
    occupy `size` bytes of a send buffer of `room` bytes."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: DatagramSenderBills, device: DeviceQueue,
        pacing: DatagramPacing, times: DatagramTimes, length: int, size: int, room: int,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.core, self._irq = cores
        self._bills = bills
        self.device = device
        self._pacing = pacing
        self._times = times
        self._length = length
        self._size = size
        self._room = room
        self._lock = SharedLines(bills.lock_lines)
        self._sends, self._sleeps, self._wakes = self._sent, self._slept, self._woken  # bound once
        self._checks = self._check
        self._blocked = False  # by the send buffer
        self._asleep = False
        self.datagrams = self.wakeups = self.waits = 0

    # --- process ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The process begins to send."""
        self._go_on()

    def _go_on(self) -> None:
        """Send the next datagram, or sleep until there is room or the datagram is due."""
        if not self._pacing.green(self.datagrams * self._length, self._calendar.now):
            self.waits += 1
            self._sleep(False)
        elif self.device.segments * self._size >= self._room:
            self._sleep(True)
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

    def _sleep(self, blocked: bool) -> None:
        self._blocked = blocked
        self.core.process.add(self._bills.sleep)
        self.core.run(self._sleeps)

    def _slept(self) -> None:
        if not self._blocked:
            self._calendar.call_at(self._pacing.next_check(self._calendar.now), self._checks, None)
        elif self._writable():
            self._resume()
        else:
            self._asleep = True

    def _check(self, _: object) -> None:
        """The pacing timer has expired; a process that still has to sleep is not woken."""
        now = self._calendar.now
        if self._pacing.green(self.datagrams * self._length, now):
            self.wakeups += 1
            self.core.process.add(self._bills.wake)
            self._woken(None)
        else:
            self._calendar.call_at(self._pacing.next_check(now), self._checks, None)

    def _woken(self, _: object) -> None:
        if self.core.idle:
            self.core.process.add(self._bills.idle)
        self._resume()

    def _resume(self) -> None:
        self.core.process.add(self._bills.switch)
        self._go_on()

    def _writable(self) -> bool:
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
        if self._asleep and self._writable():
            self._wake(tally)

    def sent_at(self) -> int:
        """See PollUser."""
        return self.device.sent_at()

    def _wake(self, tally: CycleTally) -> None:
        self._asleep = False
        self.wakeups += 1
        tally.add(self._bills.wake)
        self.core.resched = True
        self._calendar.call_at(self._calendar.now + tally.total + self._bills.wake_time, self._wakes, None)
