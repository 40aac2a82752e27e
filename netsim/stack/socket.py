"""What sockets have in common: what a process goes through in a system call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine import Bill, HostSpec

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


class Entry:
    """What a process goes through before its next work: the way into a system call, if that `begins` with this work,
    and being woken up, if it has `slept`. `asleep` is the same for a process that sleeps first. Each of the four has a
    `number`, from 0."""

    __slots__ = ("asleep", "begins", "number", "slept")

    def __init__(self, *, begins: bool, slept: bool = False) -> None:
        self.begins = begins
        self.slept = slept
        self.number: int = 2 * begins + slept
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
