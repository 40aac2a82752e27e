"""What sockets have in common: buffers that are accounted in memory, not in payload, and a process that may sleep."""

from __future__ import annotations

from netsim.host import Bill, HostSpec
from netsim.spec import Spec
from netsim.units import Bytes


class SocketSpec(Spec):
    """`buffer_overhead`: bytes of memory that a buffered frame takes beyond its own (Linux: skb->truesize)."""

    buffer_overhead: Bytes


def bill_call(host: HostSpec, first: bool, slept: bool) -> Bill:
    """A bill that begins with the process's costs of a system call (`first`: it begins here) and of being woken up
    (`slept`)."""
    bill = host.bill()
    kernel = host.system.kernel
    if slept:
        bill.cycles("wake-up", kernel.wake_up_cycles)
    if first:
        bill.cycles("system call", kernel.system_call_cycles)
    return bill
