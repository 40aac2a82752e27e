"""The headers of a TCP connection that is opened and closed in the run: no frame precedes it."""

from __future__ import annotations

from netsim.export.headers import Address
from netsim.export.headers_tcp import TcpHeaders
from netsim.stack import TcpSocket
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_connection import SYN, ControlSegment
from netsim.units import US


class ConnectionHeaders(TcpHeaders):
    """The segments of one end. A SYN has the number before byte 0, and asks for every option that its system
    supports."""

    def __init__(self, near: TcpSocket, far: TcpSocket, source: Address, destination: Address) -> None:
        super().__init__(near, far, source, destination)
        self._sack = near.spec.sack
        self._asks = near.spec.window_scaling == "asks"

    def opening(self, frame: TcpSegment) -> list[bytes]:
        if self._began is None:
            self._began = self.back._began = frame.tsval
        return []

    def of(self, frame: TcpSegment) -> bytes:
        if not isinstance(frame, ControlSegment):
            return super().of(frame)
        if frame.flags & SYN:
            return self._synchronise(frame.flags, -1, 0)
        window, number = min(frame.window >> self._shift, 0xFFFF), frame.tsval // US + frame.seq
        options = self._timestamps(frame.tsval, frame.tsecr)
        return self._segment_of(frame.seq, frame.ack + frame.finish, frame.flags, window, options, 0, number)

    def _scales(self) -> bool:
        return self._asks
