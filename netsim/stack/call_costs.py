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


def bill_send(host: ComputerSpec, bill: Bill, nbytes: int, in_clear: bool = True, aligned: bool = True) -> Bill:
    """Add the costs of copying `nbytes` into a buffer and of their checksum. The checksum is free if it is
    computed with the copy, or if every card can compute it, which requires that cards get the data `in_clear`.
    `aligned`: the data begin on a word boundary."""
    bill.copy(nbytes, "cache", aligned)
    offloaded = in_clear and all(nic.driver.tx_checksum == "nic" for nic in host.nics)
    return bill if offloaded or host.system.socket.checksum_with_copy else bill.checksum(nbytes, "level1")
