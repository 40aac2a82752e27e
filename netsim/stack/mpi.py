"""A message-passing library (MPI) over TCP: its work for a message between two processes.

Every message begins with the library's header, and most messages have a packet that describes them. A message of at
most `eager_limit` bytes is sent at once, within its packet or after it; for a larger one the library sends a request (a
packet alone) and waits for a clear-to-send (another packet), so that the receiver knows where to put the data
(rendezvous).

Left out: a library that reads repeatedly, without sleeping, while the rest of a message is missing (p4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

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
        self._pack_work = cache(lambda nbytes: spec.bill_pack(host.bill(), nbytes).work())
        self._copy_work = cache(lambda nbytes: spec.bill_copies(host.bill(), nbytes).work())
        self._task = host.process(self._begin, self._end)
        self._work: Work | None = None
        self._then: Callable[[], None] = lambda: None

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        packet, bodies = self.spec.packet, self.spec.bodies(nbytes)
        if self.spec.is_eager(nbytes):
            self._compute(self._pack_work(nbytes), lambda: self._put(bodies, then))
        else:
            self._put((packet,), lambda: self._take((packet,), lambda: self._put(bodies, then)))

    def receive(self, nbytes: int, then: Callable[[], None]) -> None:
        packet, bodies = self.spec.packet, self.spec.bodies(nbytes)

        def take() -> None:
            self._take(bodies, lambda: self._compute(self._copy_work(nbytes), then))

        if self.spec.is_eager(nbytes):
            take()
        else:
            self._take((packet,), lambda: self._put((packet,), take))

    # --- on the wire -------------------------------------------------------------------------------------------------

    def _put(self, bodies: Sequence[int], then: Callable[[], None]) -> None:
        """Send messages with these numbers of bytes after their headers."""
        body, *rest = bodies
        following = partial(self._put, rest, then) if rest else then
        self._compute(self._send_work, lambda: self._write(body, following))

    def _write(self, body: int, then: Callable[[], None]) -> None:
        header = self.spec.header
        if body and self.spec.separate_header:
            self._socket.send(header, lambda: self._socket.send(body, then))
        else:
            self._socket.send(header + body, then)

    def _take(self, bodies: Sequence[int], then: Callable[[], None]) -> None:
        """Receive what `_put` sent. select() blocks until the header has arrived, so its time is spent after that and
        not while the process waits."""
        body, *rest = bodies
        following = partial(self._take, rest, then) if rest else then
        self._stream.receive(
            self.spec.header,
            lambda: self._compute(self._receive_work, lambda: self._stream.receive(body, following)),
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
