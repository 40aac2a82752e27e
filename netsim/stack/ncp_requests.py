"""Requests of NetWare's core protocol, and the smaller requests and pieces that they are split into. This module stays
interpreted, because closed forms compute with arrays of lengths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from netsim.errors import SimulationError

Kind = Literal["read", "write", "call"]


class NcpRequest(NamedTuple):
    """A request with its bytes of data: those that it carries (`sent`) and those that it asks for (`asked`). A "read"
    or a "write" may have any length; any other "call" has one frame and gets one in reply. `extra` is for the service.
    A long request is split into several, each of which begins at `offset`."""

    kind: Kind
    sent: int = 0
    asked: int = 0
    extra: Any = None
    offset: int = 0


class Agreement(NamedTuple):
    """The sizes that both ends agreed on when they connected: bytes of data in a frame (`largest`), and in a
    request."""

    largest: int
    at_once: int

    def requests(self, request: NcpRequest) -> Iterator[NcpRequest]:
        """The requests into which `request` is split, in order. Raises SimulationError for a call that is too long."""
        return iter((request,)) if self.is_one(request) else self._split(request)

    def _split(self, request: NcpRequest) -> Iterator[NcpRequest]:
        offset = request.offset
        for count, one in self.counted_requests(request):
            for _ in range(count):
                yield one._replace(offset=offset) if offset != one.offset else one
                offset += one.sent + one.asked

    def is_one(self, request: NcpRequest) -> bool:
        """Whether `request` needn't be split."""
        return max(request.sent, request.asked) <= (self.largest if request.kind == "call" else self.at_once)

    def counted_requests(self, request: NcpRequest) -> list[tuple[int, NcpRequest]]:
        """The same, as pairs: how many requests have the same length, and one of them. Raises SimulationError for a
        call that is too long."""
        if self.is_one(request):
            return [(1, request)]
        nbytes, read = max(request.sent, request.asked), request.kind == "read"
        if request.kind == "call":
            raise SimulationError(f"a call with {nbytes} bytes; allowed: {self.largest} in a frame")
        return [
            (count, request._replace(asked=length) if read else request._replace(sent=length))
            for count, length in counted(nbytes, self.at_once)
        ]


@lru_cache(maxsize=4096)
def cut(nbytes: int, largest: int) -> tuple[int, ...]:
    """`nbytes` in pieces of at most `largest`, only the last one shorter; (0,) if there are none."""
    return tuple([length for count, length in counted(nbytes, largest) for _ in range(count)])


def counted(nbytes: int, largest: int) -> list[tuple[int, int]]:
    """The same pieces, as pairs of their number and length."""
    full, rest = divmod(nbytes, largest)
    whole = [(full, largest)] if full else []
    return [*whole, (1, rest)] if rest or not full else whole
