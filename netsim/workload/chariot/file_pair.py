"""One pair of Chariot endpoints: one sends a file, the other confirms it, and this repeats until the run ends.

The script's steps for a transaction: the sending end writes the file in calls of `buffer` bytes, the last one shorter;
the receiving end reads until it has the file and writes the confirmation; the sending end reads that.
"""

from __future__ import annotations

from collections.abc import Callable

from netsim.errors import ConservationError
from netsim.stack import TcpSocket
from netsim.workload import tcp_accounts


class FilePair:
    """A process at each end of the connection between the sockets `out` and `into`. The sizes of the file, of the
    longest call and of the confirmation are in bytes."""

    def __init__(self, name: str, out: TcpSocket, into: TcpSocket, file: int, buffer: int, confirmation: int) -> None:
        self.name = name
        self.out = out
        self.into = into
        self.transactions = 0  # confirmed
        self._file, self._buffer, self._confirmation = file, buffer, confirmation

    def listen(self) -> None:
        """The receiving end: read one file, confirm it, read the next."""
        _in_calls(self._file, self._buffer, self.into.receive, self._confirm)

    def _confirm(self) -> None:
        _in_calls(self._confirmation, self._buffer, _told(self.into), self.listen)

    def begin(self) -> None:
        """The sending end: send one file, wait until it is confirmed, send the next."""
        _in_calls(self._file, self._buffer, _told(self.out), self._wait)

    def _wait(self) -> None:
        _in_calls(self._confirmation, self._buffer, self.out.receive, self._confirmed)

    def _confirmed(self) -> None:
        self.transactions += 1
        self.begin()

    def audit(self) -> None:
        """Check that every file read was confirmed, except possibly the last one. Raises ConservationError."""
        tcp_accounts.audit(self.out, self.into)
        tcp_accounts.audit(self.into, self.out)
        further = self.into.read_bytes - self.transactions * self._file
        read = self.out.read_bytes - self.transactions * self._confirmation
        if not (0 <= further <= self._file and 0 <= read <= self._confirmation):
            text = f"{further} and {read} bytes read beyond {self.transactions} transactions"
            raise ConservationError(f"pair {self.name}: {text}")

    def waiting_for(self) -> str:
        """A text that says what the pair waits for."""
        file, back = tcp_accounts.waiting_for(self.out), tcp_accounts.waiting_for(self.into)
        return f"pair {self.name} in transaction {self.transactions + 1} (file: {file}; confirmation: {back})"


Call = Callable[[int, Callable[[int], None]], None]  # takes a number of bytes, calls back with the number moved


def _in_calls(nbytes: int, buffer: int, call: Call, then: Callable[[], None]) -> None:
    """Move `nbytes` in consecutive calls of at most `buffer` bytes, and `then` continue."""
    left = nbytes

    def more(done: int) -> None:
        nonlocal left
        left -= done
        if left:
            call(min(buffer, left), more)
        else:
            then()

    more(0)


def _told(socket: TcpSocket) -> Call:
    """A socket's send as a call that reports the number of bytes moved: all that it was asked to send."""
    return lambda nbytes, then: socket.send(nbytes, lambda: then(nbytes))
