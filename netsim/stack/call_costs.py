"""The processor time that a process spends in a call on a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine import Bill, HostSpec
from netsim.stack.socket import Entry

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


def bill_call(host: HostSpec, entry: Entry) -> Bill:
    """A bill that begins with the process's costs of its `entry`."""
    bill = host.bill()
    kernel = host.system.kernel
    if entry.slept:
        bill.cycles("wake-up", kernel.wake_up_cycles)
    if entry.begins:
        bill.cycles("system call", kernel.system_call_cycles)
    return bill


def bill_send(host: ComputerSpec, bill: Bill, nbytes: int, in_clear: bool = True, aligned: bool = True) -> Bill:
    """The process's costs of copying `nbytes` into a buffer, and of their checksum, unless every card can do it, which
    has to get them `in_clear`. They lie on a word boundary, or else are not `aligned`."""
    bill.copy(nbytes, "cache", aligned)
    offloaded = in_clear and all(nic.driver.tx_checksum == "nic" for nic in host.nics)
    return bill if offloaded or host.system.socket.checksum_with_copy else bill.checksum(nbytes, "cache")
