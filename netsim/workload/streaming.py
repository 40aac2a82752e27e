"""The processes at the ends of a bulk stream: one that writes without a pause, and one that reads everything that
arrives."""

from __future__ import annotations

from netsim.stack.tcp_socket import TcpSocket


class Writer:
    """Writes successive messages of `nbytes`."""

    def __init__(self, socket: TcpSocket, nbytes: int) -> None:
        self._write = socket.write
        self._nbytes = nbytes
        self._again = self.begin  # bound once

    def begin(self) -> None:
        """Write the next message."""
        self._write.call(self._nbytes, self._again)


class Reader:
    """Reads the data available, in calls for up to `most` bytes."""

    def __init__(self, socket: TcpSocket, most: int) -> None:
        self._read = socket.read
        self._most = most
        self._again = self._returned  # bound once

    def begin(self) -> None:
        """Make the next call."""
        self._read.call(self._most, self._again)

    def _returned(self, _: int) -> None:
        self.begin()
