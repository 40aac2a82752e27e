"""The closed form of a small message's way: every step once, one after the other, with nothing in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.host import Port
from netsim.stack import ComputerSpec
from netsim.stack.tcp_costs import TcpCosts

if TYPE_CHECKING:
    from netsim.workload.netpipe import NetPipe


def least_half_round_trip(test: NetPipe, nbytes: int) -> float:
    """ps of a message of `nbytes` that fits into one segment, the mean of both ways, at the least.

    A library's header in a segment of its own is under way while the message is written, and counts as writing only.
    """
    there = _one_way(test, test.sender, test.receiver, nbytes)
    return (there + _one_way(test, test.receiver, test.sender, nbytes)) / 2


def _one_way(test: NetPipe, near: ComputerSpec, far: ComputerSpec, nbytes: int) -> int:
    writing, reading = TcpCosts(near), TcpCosts(far)
    mpi = test.mpi
    time, length = 0, nbytes
    if mpi is not None:
        time += mpi.bill_send(near.bill()).work().total
        time += mpi.bill_copies(mpi.bill_receive(far.bill(), far.system.kernel), nbytes).work().total
        if mpi.separate_header:
            time += writing.write(mpi.header, mpi.header, 0, True, False).total
        else:
            length += mpi.header
    size = writing.spec.frame_size(length)
    time += writing.write(length, length, 0, True, False).total
    time += _on_the_way(test, near.ports()[0], far.ports()[0], far, size)
    time += reading.arrival(length, 0, False, None).total
    return time + reading.read(length, reading.place(size, 0), True, True).total


def _on_the_way(test: NetPipe, out: Port, into: Port, far: ComputerSpec, size: int) -> int:
    """ps from the doorbell until the frame is with the protocols."""
    link, memory = test.link, size - FCS
    fetch = out.adapter.tx_wake_up + out.adapter.tx_lead_time(out.bus, memory)
    wire = link.time(PREAMBLE + size) + link.propagation
    store = into.adapter.rx_bus_time(into.bus, memory) - into.adapter.rx_lead_time(into.bus, link, memory)
    handler = into.bill_receive(into.bill_interrupt(far.bill(), far.system.kernel.interrupt_cycles), memory).work()
    return fetch + wire + store + handler.total
