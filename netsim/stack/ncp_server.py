"""The server's end of NetWare's core protocol in a running simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from mypy_extensions import mypyc_attr

from netsim.errors import SimulationError
from netsim.machine import Driver, Host
from netsim.stack.ncp_ends import NcpEnd
from netsim.stack.ncp_messages import NcpExchange, NcpFrame, absent
from netsim.stack.ncp_requests import NcpRequest
from netsim.stack.ncp_spec import NcpHostSpec

Service = Callable[[NcpRequest, Callable[[], None]], None]  # gets the request, and the callback for its completion


def answer_at_once(_: NcpRequest, reply: Callable[[], None]) -> None:
    """A service that never waits: all data are in memory."""
    reply()


class _Progress:
    """The server's progress with a workstation's last request, received on the port of `device`."""

    __slots__ = ("device", "exchange", "state", "there")

    def __init__(self, exchange: NcpExchange, device: Driver) -> None:
        self.exchange = exchange
        self.device = device
        self.state: Literal["coming", "working", "answered"] = "coming"
        self.there: set[int] = set()  # frames of the request that have arrived


@mypyc_attr(allow_interpreted_subclasses=True)
class NcpServer(NcpEnd):
    """Answers requests, each on the port that received it. `service` gets them in the order in which they are
    complete, once the processor's work for them is done, and calls back for the reply when it has finished one. A
    request repeated meanwhile is dropped (NetWare: "request being processed"); one that has been answered is answered
    again."""

    def __init__(self, host: Host, spec: NcpHostSpec, address: str, service: Service = answer_at_once) -> None:
        super().__init__(host, spec, address)
        self.requests = self.replied_bytes = self.written_bytes = 0
        self.service = service
        self._last: dict[str, _Progress] = {}  # by the workstation's address

    def put(self, frame: NcpFrame) -> None:
        exchange = frame.exchange
        progress = self._last.get(exchange.client)
        if progress is None or exchange.sequence > progress.exchange.sequence:
            progress = _Progress(exchange, self.host.drivers[frame.received_by])
            self._last[exchange.client] = progress
        if exchange is not progress.exchange:
            return  # repeated too late
        if progress.state == "coming":
            self._collect(progress, frame)
        elif progress.state == "answered" and frame.lacking:
            self._begin_with(progress, partial(self._reply, progress, frame.lacking))

    def _collect(self, progress: _Progress, frame: NcpFrame) -> None:
        progress.there.add(frame.number)
        if len(progress.there) == frame.of:
            request = frame.exchange.request
            self.written_bytes += request.sent if request.kind == "write" else 0
            self._begin_with(progress, partial(self._serve, progress))
        elif frame.lacking is not None:
            self._spend(self.costs.fragment, partial(self._report, progress, frame.of))

    def _begin_with(self, progress: _Progress, then: Callable[[], None]) -> None:
        progress.state = "working"
        self.requests += 1
        self._spend(self.costs.request, then)

    def _serve(self, progress: _Progress) -> None:
        self.service(progress.exchange.request, partial(self._reply, progress))

    def _reply(self, progress: _Progress, numbers: Sequence[int] | None = None) -> None:
        """Send the frames of the reply, or those with these numbers."""
        exchange = progress.exchange
        if progress.state != "working":
            raise SimulationError(f"{self.address} replies twice to request {exchange.sequence} of {exchange.client}")
        progress.state = "answered"
        frames = self._message(exchange.client, "reply", exchange, numbers)
        self.replied_bytes += sum(frame.length for frame in frames)
        self._send(frames, progress.device)

    def _report(self, progress: _Progress, of: int) -> None:
        """Tell the workstation which frames of its request are missing, if any still are."""
        numbers = absent(of, progress.there)
        if numbers:
            frames = self._message(progress.exchange.client, "lacking", progress.exchange)
            frames[0].lacking = numbers
            self._send(frames, progress.device)
