"""NetWare's core protocol over IPX: a workstation asks, and waits for the answer; a server answers what it is asked.

One request is under way at a time for each workstation. What it asks for here is bytes of a file, as many as both ends
have agreed on at the most, which lie in the server's cache. A server hands its card the pieces where they lie, and a
workstation's driver moves them to where its program wants them: nothing is copied in between.
"""

from __future__ import annotations

from functools import cache

from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS, frame_size
from netsim.host import HostSpec, SystemSpec, Work
from netsim.spec import Spec
from netsim.units import Bytes, Cycles, PositiveBytes, PositiveTime

IPX_HEADER = 30  # bytes (Xerox Internet Datagram Protocol)


class NcpSpec(Spec):
    """Bytes behind the IPX header of a `request` to read, and of the `reply` without the data; `largest` is how many
    bytes of data this end agrees to in one reply. `request_cycles` for each request: at the server to find the data and
    to make the reply, at the workstation from the program's call to the request, and from the reply back to the
    program. A workstation that has no reply after `retry` (ps) asks again."""

    request: Bytes
    reply: Bytes
    largest: PositiveBytes
    request_cycles: Cycles
    retry: PositiveTime

    def request_frame(self) -> int:
        """Bytes of the frame of a request, with FCS."""
        return frame_size(IPX_HEADER + self.request)

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


class NcpFrame(Frame):
    """A request for `length` bytes, or the reply; `sequence` is the request's number, `sender` where its reply goes."""

    __slots__ = ("length", "sender", "sequence")

    def __init__(self, size: int, port: str, sender: str, sequence: int, length: int) -> None:
        super().__init__(size, port)
        self.sender = sender
        self.sequence = sequence
        self.length = length


class NcpCosts:
    """What one end's processor does for a request. Works are made once for each kind."""

    def __init__(self, host: NcpHostSpec) -> None:
        self._host = host
        self.request = host.bill().cycles("protocol", host.system.ncp.request_cycles).work()
        self.send = cache(self._send)

    def _send(self, size: int, port: int | None) -> Work:
        """A frame of `size` bytes is handed to a port, or queued (None)."""
        bill = self._host.bill()
        return (bill if port is None else self._host.ports()[port].bill_transmit(bill, size - FCS)).work()
