"""A message-passing library (MPI) over TCP: what it adds to a message between two processes.

Every message has the library's header in front of it. A message of at most `eager_limit` bytes is sent at once; for a
larger one the library sends a request (a header alone) and waits for a clear-to-send (another one), so that the
receiver knows where to put it (rendezvous).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from netsim.machine import Bill, KernelSpec, Work
from netsim.spec import Spec
from netsim.stack.messages import TcpEndpoint
from netsim.stack.tcp_socket import TcpSocket
from netsim.units import Bytes, Cycles, NonNegativeCount, PositiveBytes


class MpiSpec(Spec):
    """A library as it runs over TCP. `name` is what a result calls it.

    `send_cycles` and `receive_cycles` are the library's own, per message, requests and clear-to-sends included.
    `header` bytes go in front of each message, in a write() and so a segment of their own if `separate_header`. Above
    `eager_limit` bytes there is a rendezvous. `eager_copies` and `rendezvous_copies`: how often the receiver's library
    copies a whole message from a buffer of its own to the user's, once it is there. `polls`: system calls (select) per
    message before it is read. `thread_switches`: switches between the library's threads per message received.
    """

    catalogue = "mpi"

    name: str
    send_cycles: Cycles
    receive_cycles: Cycles
    header: PositiveBytes
    separate_header: bool
    eager_limit: Bytes
    eager_copies: NonNegativeCount
    rendezvous_copies: NonNegativeCount
    polls: NonNegativeCount
    thread_switches: NonNegativeCount

    def bill_send(self, bill: Bill) -> Bill:
        """The library's costs of a message, before it is written."""
        return bill.cycles("mpi", self.send_cycles)

    def bill_receive(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The library's costs of a message whose header has come, apart from reading it."""
        bill.cycles("wake-up", self.thread_switches * kernel.wake_up_cycles)
        bill.cycles("system call", self.polls * kernel.system_call_cycles)
        return bill.cycles("mpi", self.receive_cycles)

    def bill_copies(self, bill: Bill, nbytes: int) -> Bill:
        """The receiver's costs of handing a message of `nbytes` to the user."""
        for _ in range(self.eager_copies if self.is_eager(nbytes) else self.rendezvous_copies):
            bill.copy(nbytes, "memory")
        return bill

    def is_eager(self, nbytes: int) -> bool:
        """Whether a message is sent without asking."""
        return nbytes <= self.eager_limit


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
        return self._work is not None
