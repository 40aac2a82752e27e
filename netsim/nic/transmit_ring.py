"""A ring of transmit descriptors for packets that a host forwards, in a running simulation. This is arithmetic; packets
are not events."""

from __future__ import annotations

from typing import final

from netsim.engine import Calendar
from netsim.nic.frame_engine import QueueEngine
from netsim.nic.passed_frames import PassedFrames
from netsim.nic.transmit_port import TransmitPort


@final
class TransmitRing:
    """`room` descriptors, whose packets leave through the queue's own `engine` and the `port`, which all queues of an
    adapter share. Packets that find no descriptor are dropped. The driver cleans sent packets before it hands over
    others."""

    def __init__(self, calendar: Calendar, port: TransmitPort, engine: QueueEngine, room: int) -> None:
        self._port = port
        self._engine = engine
        self._room = room
        self._left = PassedFrames(calendar)
        self.handed = self.dropped = 0

    def put(self, packets: int, now: int) -> None:
        """The driver hands over `packets` packets at `now`, the calendar's time, and rings the doorbell."""
        some = min(packets, self._room - self.handed + self.sent(now))
        self.dropped += packets - some
        self.handed += some
        if some:
            step = self._port.step
            first, pace = self._engine.pace(self._port.put(now, some), step, some)
            self._left.add(first + step, pace, some)

    def sent(self, now: int) -> int:
        """The number of packets that have left by `now`, which is not before the calendar's time."""
        return self._left.count(now)
