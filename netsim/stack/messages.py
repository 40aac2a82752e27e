"""Messages of known size over TCP, as programs exchange them: write() once, read() until all of it is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from netsim.stack.tcp_socket import TcpSocket


class Endpoint(Protocol):
    """A process that exchanges messages with one peer. It makes one call at a time, as one that blocks does, and the
    peer makes the matching ones."""

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        """Send a message, and call `then` when the call returns: its bytes are copied, not necessarily there."""

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        """Wait for a message of `nbytes`, and call `then` when all of it is there."""


class TcpEndpoint:
    """A process that uses the socket itself."""

    def __init__(self, socket: TcpSocket) -> None:
        self._socket = socket
        self.send = socket.send

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        """Each read() returns what is there (NetPIPE: readFully)."""
        left = nbytes

        def more(got: int) -> None:
            nonlocal left
            left -= got
            if left:
                self._socket.receive(left, more)
            else:
                then()

        more(0)
