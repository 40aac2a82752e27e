"""What the ends of a stream are charged: costs as a running simulation has them (netsim.stack.stream_costs makes them).
"""

from __future__ import annotations

from typing import final

from netsim.machine.tally import Cost
from netsim.stack.landed_data import WHOLE


@final
class ReceiverBills:
    """`frame` of a poll; a `packet` that goes up through IP to the socket, and is received by TCP (`receive`), or put
    into the `backlog`, or joined to what is there (`join`), from which the process takes it (`take_up`); the lines of
    the socket's lock and of the socket that both write, and those that a packet for the backlog needs; an `ack` that is
    sent; of the process a `call`, and each `segment` that is read, whose bytes take `cached` (ps) to copy, and
    `missing` more from memory. It is woken (`wake`, and `wake_time` later runs), and `switch` and `sleep` are what that
    takes on its own core, with `idle` if that did nothing."""

    def __init__(
        self, frame: Cost, packet: Cost, receive: Cost, backlog: Cost, join: Cost, take_up: Cost, lock_lines: Cost,
        socket_lines: Cost, backlog_lines: Cost, ack: Cost, segment: Cost, call: Cost, wake: Cost, switch: Cost,
        idle: Cost, cached: int, missing: int, wake_time: int,
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
        self.wake = wake
        self.switch = self.sleep = switch
        self.idle = idle
        self._cached = cached
        self._missing = missing
        self.wake_time = wake_time

    def copy_time(self, lost: int) -> int:
        """ps to copy a segment, of which a share (millionths) is only in memory."""
        return self._cached + self._missing * lost // WHOLE


@final
class SenderBills:
    """Of the process a `call`, a `packet` that is made and each `segment` of it; `send` of a packet that goes to the
    adapter, with `handed` for each segment; an `ack` that was received, with `freed_segment` for each that it frees; a
    packet that is `cleaned`. The rest as above."""

    def __init__(
        self, frame: Cost, call: Cost, packet: Cost, segment: Cost, send: Cost, handed: Cost, ack: Cost, backlog: Cost,
        take_up: Cost, lock_lines: Cost, socket_lines: Cost, freed_segment: Cost, cleaned: Cost, wake: Cost,
        switch: Cost, idle: Cost, wake_time: int,
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
        self.wake = wake
        self.switch = self.sleep = switch
        self.idle = idle
        self.wake_time = wake_time
