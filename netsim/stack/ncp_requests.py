"""Requests of NetWare's core protocol, and into which smaller ones and which pieces they are cut. Closed forms compute
with swept lengths, so this is interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from netsim.errors import SimulationError

Kind = Literal["read", "write", "call"]


class NcpRequest(NamedTuple):
    """Bytes of data that go with it (`sent`) and that it asks for (`asked`): of a "read" or a "write", which may have
    any length, or of any other "call", which has one frame and gets one. `extra` is for the service. A long one
    is asked for in several, of which each begins at `offset`."""

    kind: Kind
    sent: int = 0
    asked: int = 0
    extra: Any = None
    offset: int = 0


class Agreement(NamedTuple):
    """What both ends have agreed on when they connected: bytes of data in a frame (`largest`), and in a request."""

    largest: int
    at_once: int

    def requests(self, request: NcpRequest) -> Iterator[NcpRequest]:
        """Those that it takes, one after the other. Raises SimulationError for a call that is too long."""
        offset = request.offset
        for count, one in self.counted_requests(request):
            for _ in range(count):
                yield one._replace(offset=offset) if offset != one.offset else one
                offset += one.sent + one.asked

    def counted_requests(self, request: NcpRequest) -> list[tuple[int, NcpRequest]]:
        """The same, as how many there are of each length. Raises SimulationError for a call that is too long."""
        nbytes = max(request.sent, request.asked)
        if request.kind == "call" and nbytes > self.largest:
            raise SimulationError(f"a call with {nbytes} bytes; allowed: {self.largest} in a frame")
        if request.kind == "call" or nbytes <= self.at_once:
            return [(1, request)]
        read = request.kind == "read"
        return [
            (count, request._replace(asked=length) if read else request._replace(sent=length))
            for count, length in counted(nbytes, self.at_once)
        ]


@lru_cache(maxsize=4096)
def cut(nbytes: int, largest: int) -> tuple[int, ...]:
    """`nbytes` in pieces of at most `largest`, only the last one shorter; (0,) if there are none."""
    return tuple([length for count, length in counted(nbytes, largest) for _ in range(count)])


def counted(nbytes: int, largest: int) -> list[tuple[int, int]]:
    """The same pieces, as how many there are of each length."""
    full, rest = divmod(nbytes, largest)
    whole = [(full, largest)] if full else []
    return [*whole, (1, rest)] if rest or not full else whole
