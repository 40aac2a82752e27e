"""The costs that both ends of a stream are charged in a running simulation (netsim.stack.stream_costs makes them)."""

from __future__ import annotations

from typing import final

from netsim.machine.tally import Cost
from netsim.stack.landed_data import CopyTime
from netsim.stack.socket_process import SleepBills


@final
class ReceiverBills:
    """Costs of a `frame` in a poll; of a `packet` that goes up through IP to the socket and is received by TCP
    (`receive`), put into the `backlog`, or joined to a packet there (`join`), from where the process takes it
    (`take_up`); of the cache lines of the socket and its lock, which both cores write, and those that a packet for the
    backlog needs; of an `ack` that is sent; and, of the process, of a `call`, of each `segment` read, whose bytes take
    the time `copy`, and of `sleeping`."""

    def __init__(
        self, frame: Cost, packet: Cost, receive: Cost, backlog: Cost, join: Cost, take_up: Cost, lock_lines: Cost,
        socket_lines: Cost, backlog_lines: Cost, ack: Cost, segment: Cost, call: Cost, copy: CopyTime,
        sleeping: SleepBills,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.packet = packet
        self.receive = receive
        self.backlog = backlog
        self.join = join
        self.lock_lines = lock_lines
        self.socket_lines = socket_lines
        self.backlog_lines = backlog_lines
        self.take_up = take_up
        self.ack = ack
        self.segment = segment
        self.call = call
        self.copy = copy
        self.sleeping = sleeping


@final
class SenderBills:
    """Costs of the process: a `call`, a `packet` and each `segment` in it; of a packet sent to the adapter (`send`),
    with `handed` for each segment; of an `ack` received, with `freed_segment` for each segment that it frees; and of a
    packet that is `cleaned`. All others are as above."""

    def __init__(
        self, frame: Cost, call: Cost, packet: Cost, segment: Cost, send: Cost, handed: Cost, ack: Cost, backlog: Cost,
        take_up: Cost, lock_lines: Cost, socket_lines: Cost, freed_segment: Cost, cleaned: Cost, sleeping: SleepBills,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.call = call
        self.packet = packet
        self.segment = segment
        self.send = send
        self.handed = handed
        self.ack = ack
        self.backlog = backlog
        self.take_up = take_up
        self.lock_lines = lock_lines
        self.socket_lines = socket_lines
        self.freed_segment = freed_segment
        self.cleaned = cleaned
        self.sleeping = sleeping
