"""The costs of a protocol that carries small messages, each in a separate frame."""

from __future__ import annotations

from netsim.ethernet.frame import FCS, HEADER, MIN_FRAME
from netsim.spec import Spec
from netsim.units import Cycles, Header


class MessageProtocolSpec(Spec):
    """`header` bytes precede each message, including IP's. Cycles: `send_cycles` for a message between the call and IP,
    `receive_cycles` between IP and the socket, `read_cycles` for the call that reads it from the socket, and
    `open_cycles` for each end's state of a transaction, when the client sends the request and when it reaches the
    server."""

    catalogue = "message-protocols"

    header: Header
    send_cycles: Cycles
    receive_cycles: Cycles
    read_cycles: Cycles
    open_cycles: Cycles

    def frame(self, size: int) -> int:
        """Bytes of the frame of a message of `size` bytes, with FCS."""
        return max(MIN_FRAME, HEADER + self.header + size + FCS)
