"""NetWare's core protocol over IPX: a workstation asks, and waits for the answer; a server answers what it is asked.

One request is under way at a time for each workstation. It reads or writes bytes of a file, as many as both ends have
agreed on at most, or is any other call. With packet burst the data of one request fill several frames, which follow
each other without further requests. A server hands its card the pieces where they lie; with `receive_copy` an end's
protocol copies what it has received to where it belongs, else its driver has moved it there.
"""

from __future__ import annotations

from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import HostSpec, SystemSpec
from netsim.spec import Spec
from netsim.stack.ncp_requests import Agreement
from netsim.units import Bytes, Cycles, Header, Interval, PositiveBytes

IPX_HEADER = 30  # bytes (Xerox Internet Datagram Protocol)


class NcpSpec(Spec):
    """Bytes behind the IPX header of a `request` and of a `reply`, without the data; `largest` is how many bytes of
    data this end agrees to in one frame, and `burst` in one request that reads or writes (0: no packet burst, one frame
    of data for each request). `request_cycles` for each request: at the server to find the data and to make the reply,
    at the workstation from the program's call to the request, and from the reply back to the program.
    `fragment_cycles` for each frame of data behind the first one of a request or a reply, at both ends.
    `receive_copy`: this end copies the data that it receives. A workstation that has heard nothing for `retry` (ps)
    asks again."""

    request: Header
    reply: Header
    largest: PositiveBytes
    request_cycles: Cycles
    retry: Interval
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
