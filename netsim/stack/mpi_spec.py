"""The costs of a message-passing library (MPI) over TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine import Bill, KernelSpec
from netsim.spec import Spec
from netsim.units import Bytes, Cycles, Header, NonNegativeCount, PositiveHeader

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


class MpiSpec(Spec):
    """A library over TCP. `name` appears in results.

    `send_cycles` and `receive_cycles` are the library's cycles per message, including requests and clear-to-sends.
    `header` bytes precede each message, with `separate_header` in a separate write() and so a separate segment. A
    `packet` of this many bytes follows, which describes the message; a request and a clear-to-send have nothing else. A
    message of up to `short_limit` bytes is copied into its packet, and out of it at the other end; a longer one follows
    the packet as a separate message (None: all eager messages travel with their packet, without a copy).

    Above `eager_limit` bytes there is a rendezvous. `eager_copies` and `rendezvous_copies`: how often the receiver's
    library copies a complete message from its own buffer to the user's. If the library `selects`, it waits for messages
    in select(), otherwise in a call that reads. `polls`: further calls of select() per message before it is read, which
    find it there; `peeks`: calls that look at its first bytes. `thread_switches`: how often per message received one of
    the library's threads wakes another. The library asks for socket buffers of `socket_buffer` bytes each way (0: it
    keeps the system's).
    """

    catalogue = "mpi"

    name: str
    send_cycles: Cycles
    receive_cycles: Cycles
    header: PositiveHeader
    separate_header: bool
    eager_limit: Bytes
    eager_copies: NonNegativeCount
    rendezvous_copies: NonNegativeCount
    selects: bool
    polls: NonNegativeCount
    peeks: NonNegativeCount
    thread_switches: NonNegativeCount
    packet: Header = 0
    short_limit: Bytes | None = None
    socket_buffer: Bytes = 0

    def bodies(self, nbytes: int) -> tuple[int, ...]:
        """Bytes after the header of each message that carries a user's message of `nbytes`, once it may be sent."""
        if not self.is_eager(nbytes):
            return (nbytes,)
        return (self.packet + nbytes,) if self.short_limit is None or self._packs(nbytes) else (self.packet, nbytes)

    def bill_pack(self, bill: Bill, nbytes: int) -> Bill:
        """Add the sender's costs of a message of `nbytes` before any part of it is sent."""
        return bill.copy(nbytes, "cache") if self._packs(nbytes) else bill

    def bill_send(self, bill: Bill) -> Bill:
        """Add the library's costs of a message before it is written."""
        return bill.cycles("mpi", self.send_cycles)

    def bill_receive(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """Add the library's costs of a message whose header has arrived, apart from reading it."""
        bill.cycles("wake-up", self.thread_switches * (kernel.wake_up_cycles + kernel.condition_cycles))
        calls = self.selects + self.polls + self.peeks
        more = self.selects * kernel.selected_cycles + self.polls * kernel.select_cycles
        bill.cycles("system call", calls * kernel.system_call_cycles + more)
        return bill.cycles("mpi", self.receive_cycles)

    def bill_copies(self, bill: Bill, nbytes: int) -> Bill:
        """Add the receiver's costs of handing a message of `nbytes` to the user. read() has just written it."""
        for _ in range(self.eager_copies if self.is_eager(nbytes) else self.rendezvous_copies):
            bill.copy(nbytes, "cache")
        return self.bill_pack(bill, nbytes)

    def buffered(self, host: ComputerSpec) -> ComputerSpec:
        """The host with the socket buffers that the library asks for."""
        if not self.socket_buffer:
            return host
        socket, asked = host.system.socket, self.socket_buffer
        sizes = {"send_buffer": socket.send_buffer(asked), "receive_buffer": socket.receive_buffer(asked)}
        return host.replace({f"system.tcp.{name}": size for name, size in sizes.items()})

    def _packs(self, nbytes: int) -> bool:
        return self.short_limit is not None and self.is_eager(nbytes) and nbytes <= self.short_limit

    def is_eager(self, nbytes: int) -> bool:
        """Whether a message is sent without a request."""
        return nbytes <= self.eager_limit
