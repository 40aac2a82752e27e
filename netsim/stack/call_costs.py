"""The processor time of a process's calls on a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine import Bill, HostSpec
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


def bill_call(host: HostSpec, entry: Entry) -> Bill:
    """A bill that begins with the costs of the process's `entry`."""
    bill = host.bill()
    kernel = host.system.kernel
    if entry.slept:
        bill.cycles("wake-up", kernel.wake_up_cycles)
    if entry.begins:
        bill.cycles("system call", kernel.system_call_cycles)
    return bill


def bill_send(host: ComputerSpec, bill: Bill, nbytes: int, by_card: bool, aligned: bool = True) -> Bill:
    """Add the costs of copying `nbytes` into a buffer and of their checksum. The checksum is free if it is
    computed with the copy, or later `by_card`. `aligned`: the data begin on a word boundary."""
    bill.copy(nbytes, "cache", aligned)
    return bill if by_card or host.system.socket.checksum_with_copy else bill.checksum(nbytes, "level1")
