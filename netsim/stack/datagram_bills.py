"""What the ends of UDP are charged: costs as a running simulation has them (netsim.stack.datagram_costs makes them)."""

from __future__ import annotations

from typing import final

from netsim.machine.tally import Cost
from netsim.stack.landed_data import WHOLE


@final
class DatagramReceiverBills:
    """`frame` of a poll; a `packet` that goes up through IP, and is `queued` at its socket; what it takes to `read` it,
    beside its bytes: `cached` (ps), and `missing` more from memory. `lock_lines` are those of the queue that both
    write. The rest as in ReceiverBills."""

    def __init__(
        self, frame: Cost, packet: Cost, queued: Cost, read: Cost, lock_lines: Cost, wake: Cost, switch: Cost,
        idle: Cost, cached: int, missing: int, wake_time: int,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.packet = packet
        self.queued = queued
        self.read = read
        self.lock_lines = lock_lines
        self.wake = wake
        self.switch = self.sleep = switch
        self.idle = idle
        self._cached = cached
        self._missing = missing
        self.wake_time = wake_time

    def copy_time(self, lost: int) -> int:
        """ps to copy a datagram, of which a share (millionths) is only in memory."""
        return self._cached + self._missing * lost // WHOLE


@final
class DatagramSenderBills:
    """A datagram that is `sent`, all of which is the process's, and `freed` in a softirq. The rest as above."""

    def __init__(
        self, frame: Cost, sent: Cost, freed: Cost, lock_lines: Cost, wake: Cost, switch: Cost, idle: Cost,
        wake_time: int,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.sent = sent
        self.freed = freed
        self.lock_lines = lock_lines
        self.wake = wake
        self.switch = self.sleep = switch
        self.idle = idle
        self.wake_time = wake_time
