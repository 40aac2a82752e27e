"""What a message-passing library (MPI) costs over TCP."""

from __future__ import annotations

from netsim.machine import Bill, KernelSpec
from netsim.spec import Spec
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
