"""The messages between the two ends of NetWare's core protocol: requests and replies, and the frames that they fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from netsim.ethernet import Frame
from netsim.stack.ncp_requests import NcpRequest, cut

Part = Literal["request", "reply", "lacking"]


class NcpExchange:
    """A request with its number, the `client` that makes it, and the agreed number of data bytes in a frame."""

    __slots__ = ("_reply", "_request", "client", "largest", "request", "sequence")

    def __init__(self, client: str, sequence: int, request: NcpRequest, largest: int) -> None:
        self.client = client
        self.sequence = sequence
        self.request = request
        self.largest = largest
        self._request, self._reply = cut(request.sent, largest), cut(request.asked, largest)

    def lengths(self, part: Part) -> tuple[int, ...]:
        """Bytes of data in each frame of the request or the reply."""
        if part == "lacking":
            return (0,)
        return self._reply if part == "reply" else self._request


class NcpFrame(Frame):
    """Frame `number`, from 0, of the `of` frames of a message, with `length` bytes of data. The message is the `part`
    of an `exchange`: its request, its reply, or the server's list of missing frames of the request.

    `lacking` lists missing frames: in a repeated request, those of the reply; in the message of that name, those of the
    request. None: no list.
    """

    __slots__ = ("exchange", "lacking", "length", "number", "of", "part")

    def __init__(self, size: int, port: str, part: Part, exchange: NcpExchange, number: int = 0) -> None:
        super().__init__(size, port)
        lengths = exchange.lengths(part)
        self.part = part
        self.exchange = exchange
        self.number = number
        self.of = len(lengths)
        self.length = lengths[number]
        self.lacking: Sequence[int] | None = None


def absent(of: int, there: set[int]) -> tuple[int, ...]:
    """The numbers of the frames that have not arrived, of a message of `of` frames."""
    return tuple(number for number in range(of) if number not in there)
