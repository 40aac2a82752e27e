"""NetWare's core protocol over IPX: a workstation asks, and waits for the answer; a server answers what it is asked.

One request is under way at a time for each workstation. It reads or writes bytes of a file, as many as both ends have
agreed on at the most, or is any other call. With packet burst the data of one request fill several frames, which follow
each other without further requests. A server hands its card the pieces where they lie; with `receive_copy` an end's
protocol copies what it has received to where it belongs, else its driver has moved it there.
"""

from __future__ import annotations

from netsim.ethernet.frame import FCS, frame_size
from netsim.machine import Bill, HostSpec, SystemSpec, Work
from netsim.spec import Spec
from netsim.stack.ncp_messages import Agreement
from netsim.stack.remembering import Remember, cache
from netsim.units import Bytes, Cycles, PositiveBytes, PositiveTime

IPX_HEADER = 30  # bytes (Xerox Internet Datagram Protocol)


class NcpSpec(Spec):
    """Bytes behind the IPX header of a `request` and of a `reply`, without the data; `largest` is how many bytes of
    data this end agrees to in one frame, and `burst` in one request that reads or writes (0: no packet burst, one frame
    of data for each request). `request_cycles` for each request: at the server to find the data and to make the reply,
    at the workstation from the program's call to the request, and from the reply back to the program.
    `fragment_cycles` for each frame of data behind the first one of a request or a reply, at both ends.
    `receive_copy`: this end copies the data that it receives. A workstation that has heard nothing for `retry` (ps)
    asks again."""

    request: Bytes
    reply: Bytes
    largest: PositiveBytes
    request_cycles: Cycles
    retry: PositiveTime
    burst: Bytes = 0
    fragment_cycles: Cycles = 0.0
    receive_copy: bool = False

    def agreed(self, other: NcpSpec) -> Agreement:
        """What this end and the other agree on: the less of both."""
        largest = min(self.largest, other.largest)
        return Agreement(largest, max(largest, min(self.burst, other.burst)))

    def request_frame(self, length: int = 0) -> int:
        """Bytes of the frame of a request with `length` bytes of data, with FCS."""
        return frame_size(IPX_HEADER + self.request + length)

    def reply_frame(self, length: int) -> int:
        """Bytes of the frame of a reply with `length` bytes of data, with FCS."""
        return frame_size(IPX_HEADER + self.reply + length)


class NcpSystemSpec(SystemSpec):
    """An operating system, or what makes a workstation of one, as far as the core protocol goes."""

    catalogue = "netware"

    ncp: NcpSpec


class NcpHostSpec(HostSpec):
    """A server, or a workstation."""

    catalogue = "hosts"

    system: NcpSystemSpec


class NcpCosts:
    """What one end's processor does for a request. A simulation makes works once for each kind; `remember` as in
    TcpCosts."""

    def __init__(self, host: NcpHostSpec, remember: Remember = cache) -> None:
        self._host = host
        self._ncp = ncp = host.system.ncp
        self._ports = host.ports()
        self.request = host.bill().cycles("protocol", ncp.request_cycles).work()
        self.fragment = host.bill().cycles("protocol", ncp.fragment_cycles).work()
        self.send = remember(self._send)
        self.arrival = remember(self._arrival)
        self.further_arrival = remember(self._further_arrival)

    def _send(self, size: int, port: int | None) -> Work:
        """A frame of `size` bytes is handed to a port, or queued (None)."""
        bill = self._host.bill()
        return (bill if port is None else self._ports[port].bill_transmit(bill, size - FCS)).work()

    def _arrival(self, size: int, length: int, received_by: int) -> Work | None:
        """A message's first frame, of `size` bytes with `length` bytes of data, has come in on a port; None: that costs
        nothing here."""
        return self._taken(self._host.bill(), size, length, received_by)

    def _further_arrival(self, size: int, length: int, received_by: int) -> Work | None:
        """The same for a further frame of the message."""
        bill = self._host.bill().cycles("protocol", self._ncp.fragment_cycles)
        return self._taken(bill, size, length, received_by)

    def _taken(self, bill: Bill, size: int, length: int, received_by: int) -> Work | None:
        if self._ncp.receive_copy and length:
            bill.copy(length, *self._ports[received_by].leaves(size))
        work = bill.work()
        return work if work.total else None
