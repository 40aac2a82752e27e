"""What a protocol costs that carries small messages, each in a frame of its own."""

from __future__ import annotations

from netsim.ethernet.frame import FCS, HEADER, MIN_FRAME
from netsim.spec import Spec
from netsim.units import Cycles, Header


class MessageProtocolSpec(Spec):
    """`header` bytes stand before each message, IP's among them. Cycles: `send_cycles` for a message from the call to
    IP, `receive_cycles` from IP to the socket, `read_cycles` for the call that takes it from there, and `open_cycles`
    for what each end keeps of a transaction, when the client sends the request and when it comes to the server."""

    catalogue = "message-protocols"

    header: Header
    send_cycles: Cycles
    receive_cycles: Cycles
    read_cycles: Cycles
    open_cycles: Cycles

    def frame(self, size: int) -> int:
        """Bytes of the frame of a message of `size` bytes, with FCS."""
        return max(MIN_FRAME, HEADER + self.header + size + FCS)
