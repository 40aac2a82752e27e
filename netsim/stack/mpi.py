"""A message-passing library (MPI) over TCP: what it adds to a message between two processes.

Every message has the library's header in front of it. A message of at most `eager_limit` bytes is sent at once; for a
larger one the library sends a request (a header alone) and waits for a clear-to-send (another one), so that the
receiver knows where to put it (rendezvous).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from netsim.machine import Work
from netsim.stack.messages import TcpEndpoint
from netsim.stack.mpi_spec import MpiSpec
from netsim.stack.tcp_socket import TcpSocket


class MpiEndpoint:
    """A process that uses the library (an Endpoint)."""

    def __init__(self, socket: TcpSocket, spec: MpiSpec) -> None:
        self.spec = spec
        self._socket = socket
        self._stream = TcpEndpoint(socket)
        self._host = host = socket.host
        self._send_work = spec.bill_send(host.bill()).work()
        self._receive_work = spec.bill_receive(host.bill(), host.spec.system.kernel).work()
        self._copy_work = cache(lambda nbytes: spec.bill_copies(host.bill(), nbytes).work())
        self._task = host.process(self._begin, self._end)
        self._work: Work | None = None
        self._then: Callable[[], None] = lambda: None

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        if self.spec.is_eager(nbytes):
            self._put(nbytes, then)
        else:
            self._put(0, lambda: self._take(0, lambda: self._put(nbytes, then)))

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        def take() -> None:
            self._take(nbytes, lambda: self._compute(self._copy_work(nbytes), then))

        if self.spec.is_eager(nbytes):
            take()
        else:
            self._take(0, lambda: self._put(0, take))

    # --- on the wire -------------------------------------------------------------------------------------------------

    def _put(self, nbytes: int, then: Callable[[], None]) -> None:
        """A header, and `nbytes` of the user's behind it."""
        self._compute(self._send_work, lambda: self._write(nbytes, then))

    def _write(self, nbytes: int, then: Callable[[], None]) -> None:
        header = self.spec.header
        if nbytes and self.spec.separate_header:
            self._socket.send(header, lambda: self._socket.send(nbytes, then))
        else:
            self._socket.send(header + nbytes, then)

    def _take(self, nbytes: int, then: Callable[[], None]) -> None:
        """What `_put` sent. select() blocks before the header and returns after it has come: so its time is spent then,
        and not while the process would wait anyway."""
        self._stream.receive(
            self.spec.header,
            lambda: self._compute(self._receive_work, lambda: self._stream.receive(nbytes, then)),
        )

    # --- the library's processor time --------------------------------------------------------------------------------

    def _compute(self, work: Work, then: Callable[[], None]) -> None:
        if not work.total:
            then()
            return
        self._work, self._then = work, then
        self._host.wake(self._task)

    def _begin(self) -> Work | None:
        return self._work

    def _end(self) -> bool:
        self._work = None
        self._then()  # which may have more to compute
        return self._begin() is not None
