"""What the two ends of NetWare's core protocol say to each other: requests and their replies, and the frames that
these fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from netsim.ethernet import Frame
from netsim.stack.ncp_requests import NcpRequest, cut

Part = Literal["request", "reply", "lacking"]


class NcpExchange:
    """A request with its number, the `client` that makes it, and how many bytes of data in a frame it has agreed on."""

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
    of an `exchange`: its request, its reply, or what the server says that is lacking of its request.

    With a request that is asked again `lacking` says which frames of the reply have not come, in the message of that
    name which ones of the request; None: it does not say.
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
    """The numbers of the frames of a message that are not `there`."""
    return tuple(number for number in range(of) if number not in there)
