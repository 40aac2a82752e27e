"""The processor time that NetWare's core protocol takes on one host."""

from __future__ import annotations

from netsim.ethernet.frame import FCS
from netsim.machine import Bill, Work
from netsim.stack.ncp_spec import NcpHostSpec


class NcpCosts:
    """The processor time of one end for a request."""

    def __init__(self, host: NcpHostSpec) -> None:
        self._host = host
        self._ncp = ncp = host.system.ncp
        self._ports = host.ports()
        self.request = host.bill().cycles("protocol", ncp.request_cycles).work()
        self.fragment = host.bill().cycles("protocol", ncp.fragment_cycles).work()

    def send(self, size: int, port: int | None, start: bool = True) -> Work:
        """A frame of `size` bytes is handed to a port, or queued (None). `start`: the port is idle and starts with
        this frame."""
        bill = self._host.bill()
        return (bill if port is None else self._ports[port].bill_transmit(bill, size - FCS, start=start)).work()

    def arrival(self, size: int, length: int, received_by: int) -> Work | None:
        """The first frame of a message, `size` bytes with `length` bytes of data, was received on a port; None: this
        costs nothing here."""
        return self._taken(self._host.bill(), size, length, received_by)

    def further_arrival(self, size: int, length: int, received_by: int) -> Work | None:
        """The same for a further frame of the message."""
        bill = self._host.bill().cycles("protocol", self._ncp.fragment_cycles)
        return self._taken(bill, size, length, received_by)

    def _taken(self, bill: Bill, size: int, length: int, received_by: int) -> Work | None:
        if self._ncp.receive_copy and length:
            bill.copy(length, *self._ports[received_by].leaves(size))
        work = bill.work()
        return work if work.total else None
