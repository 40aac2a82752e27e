"""One pair of Chariot endpoints: a file is sent from one to the other, is confirmed, and is sent again, forever.

The script's steps for a transaction: the sending end writes the file in calls of `buffer` bytes, the last one shorter;
the receiving end reads until it has the file and writes the confirmation; the sending end reads that.
"""

from __future__ import annotations

from collections.abc import Callable

from netsim.errors import ConservationError
from netsim.stack import TcpSocket
from netsim.workload import tcp_accounts


class FilePair:
    """A process at each end of the connection between the sockets `out` and `into`. Sizes in bytes: of the file, of the
    longest call, and of the confirmation."""

    def __init__(self, name: str, out: TcpSocket, into: TcpSocket, file: int, buffer: int, confirmation: int) -> None:
        self.name = name
        self.out = out
        self.into = into
        self.transactions = 0  # confirmed
        self._file, self._buffer, self._confirmation = file, buffer, confirmation

    def listen(self) -> None:
        """The receiving end: take one file, confirm it, take the next."""
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
        """As many files have been read as were confirmed, and at most one more. Raises ConservationError."""
        tcp_accounts.audit(self.out, self.into)
        tcp_accounts.audit(self.into, self.out)
        further = self.into.read_bytes - self.transactions * self._file
        read = self.out.read_bytes - self.transactions * self._confirmation
        if not (0 <= further <= self._file and 0 <= read <= self._confirmation):
            text = f"{further} and {read} bytes read beyond {self.transactions} transactions"
            raise ConservationError(f"pair {self.name}: {text}")

    def waiting_for(self) -> str:
        """What the pair waits for."""
        file, back = tcp_accounts.waiting_for(self.out), tcp_accounts.waiting_for(self.into)
        return f"pair {self.name} in transaction {self.transactions + 1} (file: {file}; confirmation: {back})"


Call = Callable[[int, Callable[[int], None]], None]  # takes the number of bytes, calls back with how many were moved


def _in_calls(nbytes: int, buffer: int, call: Call, then: Callable[[], None]) -> None:
    """Do `nbytes` in calls of at most `buffer`, one after the other, and `then` what follows."""
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
    """A socket's send as a call that says how many bytes it was: all that it was asked for."""
    return lambda nbytes, then: socket.send(nbytes, lambda: then(nbytes))
