"""NetWare's core protocol over IPX: a workstation makes requests and waits for each reply; a server replies.

Each workstation has one request under way at a time. A request reads or writes bytes of a file, at most as many as both
ends have agreed on, or is any other call. With packet burst the data of one request fill several frames, sent in
succession without further requests. A server hands its card the pieces in place; with `receive_copy` an end's
protocol copies received data to their destination, otherwise its driver has moved them there.
"""

from __future__ import annotations

from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import HostSpec, SystemSpec
from netsim.spec import Spec
from netsim.stack.ncp_requests import Agreement
from netsim.units import Bytes, Cycles, Header, Interval, PositiveBytes

IPX_HEADER = 30  # bytes (Xerox Internet Datagram Protocol)


class NcpSpec(Spec):
    """Bytes after the IPX header of a `request` and of a `reply`, without the data. `largest` is the number of data
    bytes that this end accepts in one frame, and `burst` in one request that reads or writes (0: no packet burst, one
    frame of data per request). `request_cycles` are spent per request: at the server to find the data and make the
    reply, at the workstation between the program's call and the request, and between the reply and the program.
    `fragment_cycles` are spent per frame of data after the first one of a request or a reply, at both ends.
    `receive_copy`: this end copies the data that it receives. A workstation that has neither sent nor received anything
    for `retry` (ps) asks again."""

    request: Header
    reply: Header
    largest: PositiveBytes
    request_cycles: Cycles
    retry: Interval
    burst: Bytes = 0
    fragment_cycles: Cycles = 0.0
    receive_copy: bool = False

    def agreed(self, other: NcpSpec) -> Agreement:
        """The sizes that this end and the other agree on: the smaller of each pair."""
        largest = min(self.largest, other.largest)
        return Agreement(largest, max(largest, min(self.burst, other.burst)))

    def request_frame(self, length: int = 0) -> int:
        """Bytes of the frame of a request with `length` bytes of data, with FCS."""
        return frame_size(IPX_HEADER + self.request + length)

    def reply_frame(self, length: int) -> int:
        """Bytes of the frame of a reply with `length` bytes of data, with FCS."""
        return frame_size(IPX_HEADER + self.reply + length)


class NcpSystemSpec(SystemSpec):
    """An operating system, or a workstation's client software, with respect to the core protocol."""

    catalogue = "netware"

    ncp: NcpSpec


class NcpHostSpec(HostSpec):
    """A server, or a workstation."""

    catalogue = "hosts"

    system: NcpSystemSpec
