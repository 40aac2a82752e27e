"""The closed form of a small message's way: every step once, one after the other, with nothing in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.stack import ComputerSpec, MpiSpec
from netsim.stack.tcp_costs import TcpCosts

if TYPE_CHECKING:
    from netsim.workload.netpipe import NetPipe


def least_half_round_trip(test: NetPipe, nbytes: int) -> float:
    """ps of a message of `nbytes` that fits into one segment with a library's header, the mean of both ways, at the
    least; but an interrupt for a frame sent that falls together with a received one's lets them share an entry.
    """
    there = _Way(test, test.sender, test.receiver).message(test.mpi, nbytes)
    return (there + _Way(test, test.receiver, test.sender).message(test.mpi, nbytes)) / 2


class _Way:
    """From one end to the other, over the first port of each. Lengths are bytes of payload of a segment."""

    def __init__(self, test: NetPipe, near: ComputerSpec, far: ComputerSpec) -> None:
        self._link = test.link
        self._near, self._far = near, far
        self._writing, self._reading = TcpCosts(near), TcpCosts(far)

    def message(self, mpi: MpiSpec | None, nbytes: int) -> int:
        """ps from the call that sends a message until the call that receives it returns."""
        if mpi is None:
            return self._written(nbytes) + self._there(nbytes) + self._read(nbytes, nbytes, True)
        sending = mpi.bill_send(self._near.bill()).work().total
        copies = mpi.bill_copies(self._far.bill(), nbytes).work().total
        return sending + self._framed(mpi, nbytes) + copies

    def _framed(self, mpi: MpiSpec, nbytes: int) -> int:
        """A library's header and a message. A header in a segment of its own is on its way, and is taken note of, while
        the message is written and follows: whichever takes longer counts."""
        header, whole = mpi.header, mpi.header + nbytes
        taking = mpi.bill_receive(self._far.bill(), self._far.system.kernel).work().total
        if not mpi.separate_header:
            reads = self._read(header, whole, True) + taking + self._read(nbytes, whole, False)
            return self._written(whole) + self._there(whole) + reads
        ahead = self._there(header) + self._read(header, header, True) + taking
        behind = self._written(nbytes) + self._there(nbytes)
        return self._written(header) + max(ahead, behind) + self._read(nbytes, nbytes, False)

    def _written(self, length: int) -> int:
        """ps of a call that writes a segment, up to the doorbell."""
        return self._writing.write(length, length, 0, True, False).total

    def _there(self, length: int) -> int:
        """ps from the doorbell until a segment is in the other end's socket."""
        size = self._writing.spec.frame_size(length)
        return self._on_the_way(size) + self._reading.arrival(length, 0, False, None).total

    def _read(self, nbytes: int, length: int, slept: bool) -> int:
        """ps of a call that reads `nbytes` of a segment, and has waited for it or not."""
        place = self._reading.place(self._writing.spec.frame_size(length), 0)
        return self._reading.read(nbytes, place, True, slept).total

    def _on_the_way(self, size: int) -> int:
        """ps from the doorbell until a frame of `size` bytes is with the protocols."""
        link, far, memory = self._link, self._far, size - FCS
        out, into = self._near.ports()[0], far.ports()[0]
        fetch = out.adapter.tx_wake_up + out.adapter.tx_lead_time(out.bus, memory)
        wire = link.time(PREAMBLE + size) + link.propagation
        store = into.adapter.rx_bus_time(into.bus, memory) - into.adapter.rx_lead_time(into.bus, link, memory)
        handler = into.bill_receive(into.bill_interrupt(far.bill(), far.system.kernel.interrupt_cycles), memory).work()
        return fetch + wire + store + handler.total
