"""The costs that both ends of UDP are charged in a running simulation (netsim.stack.datagram_costs makes them)."""

from __future__ import annotations

from typing import final

from netsim.machine.tally import Cost
from netsim.stack.landed_data import CopyTime
from netsim.stack.socket_process import SleepBills


@final
class DatagramReceiverBills:
    """Costs of a `frame` in a poll; of a `packet` that goes up through IP and is `queued` at its socket; and to `read`
    it, apart from copying its bytes, which takes the time `copy`. `lock_lines` is the cost of the queue's lines, which
    both process and softirq write. All others are as in ReceiverBills."""

    def __init__(
        self, frame: Cost, packet: Cost, queued: Cost, read: Cost, lock_lines: Cost, copy: CopyTime,
        sleeping: SleepBills,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.packet = packet
        self.queued = queued
        self.read = read
        self.lock_lines = lock_lines
        self.copy = copy
        self.sleeping = sleeping


@final
class DatagramSenderBills:
    """Costs of a datagram that is `sent`, all in the process, and `freed`, in a softirq. All others are as above."""

    def __init__(
        self, frame: Cost, sent: Cost, freed: Cost, lock_lines: Cost, sleeping: SleepBills
    ) -> None:
        self.frame = frame
        self.sent = sent
        self.freed = freed
        self.lock_lines = lock_lines
        self.sleeping = sleeping
