"""Messages of known size, as programs exchange them: one write(), then read() until the whole message has arrived; or
datagrams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from netsim.stack.arrivals import Arrivals, Passed
from netsim.stack.tcp_socket import TcpSocket
from netsim.stack.udp import UdpReceiver, UdpSender


class Endpoint(Protocol):
    """A process that exchanges messages with one peer. It makes one blocking call at a time, and the peer makes the
    matching calls."""

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        """Send a message, and call `then` when the call returns: the bytes are copied, but have not necessarily
        arrived."""

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        """Wait for a message of `nbytes`, and call `then` when all of it has arrived."""


class TcpEndpoint:
    """A process that uses the socket directly."""

    def __init__(self, socket: TcpSocket) -> None:
        self._socket = socket
        self.send = socket.send
        self._received = 0  # bytes up to the end of the last message

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        """Each read() returns the data available (NetPIPE: readFully)."""
        left = nbytes

        def more(got: int) -> None:
            nonlocal left
            left -= got
            if left:
                self._socket.receive(left, more)
            else:
                self._received += nbytes
                then()

        more(0)

    def came(self, arrivals: Arrivals) -> Passed:
        """When the last message passed each stage on its way, as recorded by the socket (Arrivals.upto)."""
        return arrivals.upto(self._received)


class UdpEndpoint:
    """A process that exchanges datagrams, of one size in each direction, through a sending socket and a receiving
    one."""

    def __init__(self, out: UdpSender, into: UdpReceiver) -> None:
        self._out, self._into = out, into

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        """Send a datagram."""
        self._out.send(then)

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        """Wait for a datagram."""
        self._into.receive(lambda _: then())

    def came(self, arrivals: Arrivals) -> Passed:
        """As TcpEndpoint's."""
        return arrivals.upto(self._into.datagrams)
