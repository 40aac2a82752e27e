"""The costs that both ends of UDP are charged in a running simulation (netsim.stack.datagram_costs makes them)."""

from __future__ import annotations

from typing import final

from netsim.machine.tally import Cost
from netsim.stack.landed_data import WHOLE


@final
class DatagramReceiverBills:
    """Costs of a `frame` in a poll; of a `packet` that goes up through IP and is `queued` at its socket; and to `read`
    it, apart from copying its bytes, which takes `cached` (ps), and `missing` more if they come from memory.
    `lock_lines` is the cost of the queue's lines, which both process and softirq write. All others are as in
    ReceiverBills."""

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
        """The time (ps) to copy a datagram if the share `lost` (millionths) of it is only in memory."""
        return self._cached + self._missing * lost // WHOLE


@final
class DatagramSenderBills:
    """Costs of a datagram that is `sent`, all in the process, and `freed`, in a softirq. All others are as above."""

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
