"""What sockets have in common: how buffers are accounted, and what a process goes through in a system call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from netsim.machine import Bill, HostSpec
from netsim.spec import Spec
from netsim.units import Bytes, Count

if TYPE_CHECKING:
    from netsim.stack.computer import ComputerSpec


class SocketSpec(Spec):
    """`counts`: what buffers are accounted in, each way: the memory that frames take, or their payload alone.
    `buffer_overhead`: bytes of memory that a buffered frame takes beyond its own (Linux: skb->truesize).
    `requested_factor`: a buffer size that a program asks for is multiplied by this, to make up for that overhead.
    `checksum_with_copy`: the sum is taken in the pass that copies from the process, at no cost of its own; else it is a
    pass of its own, which a card can save. `takes_whole`: a call that sends over TCP copies all of its bytes at once,
    however many, and returns when less than the send buffer is held or at most one earlier call's data are not all
    acknowledged (Windows: AFD, Microsoft KB 214397); else it copies segment by segment as the send buffer has room.
    """

    buffer_overhead: Bytes
    requested_factor: Count
    checksum_with_copy: bool
    counts: Literal["memory", "payload"] = "memory"
    takes_whole: bool = False

    def charge(self, size: int, payload: int) -> int:
        """What a buffered frame of `size` bytes with `payload` bytes of payload counts for (bytes)."""
        return payload if self.counts == "payload" else size + self.buffer_overhead


class Entry:
    """What a process goes through before its next work: the way into a system call, if that `begins` with this work,
    and being woken up, if it has `slept`. `asleep` is the same for a process that sleeps first."""

    __slots__ = ("asleep", "begins", "slept")

    def __init__(self, *, begins: bool, slept: bool = False) -> None:
        self.begins = begins
        self.slept = slept
        self.asleep: Entry = self if slept else Entry(begins=begins, slept=True)


CALLED = Entry(begins=True)
WITHIN = Entry(begins=False)  # a longer call


def bill_call(host: HostSpec, entry: Entry) -> Bill:
    """A bill that begins with the process's costs of its `entry`."""
    bill = host.bill()
    kernel = host.system.kernel
    if entry.slept:
        bill.cycles("wake-up", kernel.wake_up_cycles)
    if entry.begins:
        bill.cycles("system call", kernel.system_call_cycles)
    return bill


def bill_send(host: ComputerSpec, bill: Bill, nbytes: int, in_clear: bool = True) -> Bill:
    """The process's costs of copying `nbytes` into a buffer, and of their checksum, unless every card can do it, which
    has to get them `in_clear`."""
    bill.copy(nbytes, "cache")
    offloaded = in_clear and all(nic.driver.tx_checksum == "nic" for nic in host.nics)
    return bill if offloaded or host.system.socket.checksum_with_copy else bill.checksum(nbytes, "cache")
