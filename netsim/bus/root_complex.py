"""A root complex in a running simulation: it accepts writes, and answers reads, in order of arrival."""

from __future__ import annotations

from mypy_extensions import trait

from netsim.bus.pcie import PcieDirection
from netsim.engine import Environment


@trait
class Requester:
    """A sender of read requests."""

    def coming(self, request: ReadRequest, nbytes: int, at: int) -> None:
        """The next bytes for `request` are on their way, and will all have arrived `at` (ps)."""

    def answered(self, request: ReadRequest) -> None:
        """The last bytes for `request` have arrived."""


class ReadRequest:
    """A read of one packet, to be answered by completions: bytes of payload, and on the wire."""

    __slots__ = ("answered", "completions", "page", "requester", "sent", "size", "transfer")

    def __init__(self, requester: Requester, transfer: object, completions: list[tuple[int, int]]) -> None:
        self.requester = requester
        self.transfer = transfer  # the transfer to which it belongs
        self.completions = completions
        self.size = sum([nbytes for nbytes, _ in completions])
        self.sent = 0  # when it went to the link (ps)
        self.page = 0  # of memory
        self.answered = 0  # completions on their way


class RootComplex:
    """Reads take `answer_time`; written data can be read after `visible_time` (ps). No read passes an earlier write: it
    waits until the written data can be read."""

    def __init__(self, env: Environment, down: PcieDirection, answer_time: int, visible_time: int) -> None:
        self._calendar = env.calendar
        self._down = down
        self._answer_time = answer_time
        self._visible_time = visible_time
        self._visible = 0  # when all data written so far can be read
        self._answers = self._answer  # bound once
        self._arrives = self._arrived
        self.bytes_written = 0
        self.bytes_read = 0

    def write(self, nbytes: int, arrival: int, page: int = 0) -> int:
        """A write of `nbytes` to a page of memory arrives at `arrival` (ps). Returns when it leaves the buffer (ps)."""
        self.bytes_written += nbytes
        self._visible = arrival + self._visible_time
        return arrival

    def read(self, request: ReadRequest, arrival: int) -> None:
        """A request arrives at `arrival` (ps)."""
        start = arrival if arrival > self._visible else self._visible
        self._calendar.call_at(start + self._answer_time, self._answers, request)

    def _answer(self, request: ReadRequest) -> None:
        arrival = 0
        for nbytes, wire in request.completions:
            arrival = self._down.put(wire)
            request.requester.coming(request, nbytes, arrival)
            self.bytes_read += nbytes
        self._calendar.call_at(arrival, self._arrives, request)

    def _arrived(self, request: ReadRequest) -> None:
        request.requester.answered(request)

    @property
    def reading(self) -> int:
        """Reads without any completion sent yet, as counted in the calendar."""
        return self._calendar.planned(self._answers)

    @property
    def under_way(self) -> int:
        """Reads not answered yet."""
        return self.reading + self._calendar.planned(self._arrives)
