"""The workstation's end of NetWare's core protocol in a running simulation, and what both ends have in common.

The workstation asks again for lost frames once it has neither sent nor received anything for a while: it repeats the
request's first frame, and lists the frames of the reply that it lacks. A server that lacks frames of the request
reports them (packet burst: the list of missing fragments). Each repetition therefore makes progress, however many
consecutive frames find no room. The bytes of these lists are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from mypy_extensions import i64, mypyc_attr

from netsim.engine import Fifo, Meter, Timer
from netsim.errors import ConservationError, SimulationError
from netsim.machine import Driver, Host, Work
from netsim.machine.backlog import Handler
from netsim.machine.task import Worker
from netsim.stack.ncp_costs import NcpCosts
from netsim.stack.ncp_messages import NcpExchange, NcpFrame, Part, absent
from netsim.stack.ncp_requests import NcpRequest
from netsim.stack.ncp_spec import NcpHostSpec, NcpSpec

_LENGTH: Final = 17  # bits for bytes of data
_PORT: Final = 8  # bits for the number of a port


@mypyc_attr(allow_interpreted_subclasses=True)
class NcpEnd(Handler, Worker):
    """Sends messages frame by frame, each after the process's work for it."""

    def __init__(self, host: Host, spec: NcpHostSpec, address: str) -> None:
        self.host = host
        self.ncp = spec.system.ncp
        self.address = address
        self.costs = NcpCosts(spec)
        self._jobs: Fifo[tuple[Work, Callable[[], None]]] = Fifo()  # the process's
        self._arrivals: dict[int, Work | None] = {}  # by frame size, length, port, and whether the frame is the first
        self._sizes: tuple[dict[int, int], dict[int, int]] = {}, {}  # of frames of replies and of requests, by length
        self._process = host.process(self.begin, self.end)
        host.handlers[address] = self

    # --- in ----------------------------------------------------------------------------------------------------------

    def arriving(self, frame: NcpFrame) -> Work | None:
        """The cost of receiving a frame's data. A process does all other work."""
        key = ((frame.size << _LENGTH | frame.length) << _PORT | frame.received_by) << 1 | (frame.number > 0)
        if key not in self._arrivals:
            arrival = self.costs.further_arrival if frame.number else self.costs.arrival
            self._arrivals[key] = arrival(frame.size, frame.length, frame.received_by)
        work = self._arrivals[key]
        if work is None:
            self.put(frame)
        return work

    def put(self, frame: NcpFrame) -> None:
        """The work for `frame` is done: its data have arrived."""
        raise NotImplementedError

    # --- out ---------------------------------------------------------------------------------------------------------

    def _message(
        self, to: str, part: Part, exchange: NcpExchange, numbers: Sequence[int] | None = None
    ) -> list[NcpFrame]:
        """The frames of a message, or only those with these numbers."""
        lengths, sizes = exchange.lengths(part), self._sizes[part == "request"]
        frames = []
        for number in range(len(lengths)) if numbers is None else numbers:
            length = lengths[number]
            size = sizes.get(length) or self._size(part == "request", length)
            frames.append(NcpFrame(size, to, part, exchange, number))
        return frames

    def _size(self, request: bool, length: int) -> int:
        size = self.ncp.request_frame(length) if request else self.ncp.reply_frame(length)
        self._sizes[request][length] = size
        return size

    def _spend(self, work: Work, then: Callable[[], None]) -> None:
        """Let a process do `work` after its earlier jobs, and `then` what follows."""
        self._jobs.append((work, then))
        self.host.wake(self._process)

    def begin(self) -> Work | None:
        return self._jobs[0][0] if self._jobs else None

    def end(self) -> bool:
        _, then = self._jobs.popleft()
        then()
        return bool(self._jobs)

    def _send(self, frames: Sequence[NcpFrame], device: Driver) -> None:
        """Hand frames to a driver: the first one now, each further one after its own work."""
        self._hand_over(device, frames[0])
        for frame in frames[1:]:
            self._spend(self.costs.fragment, partial(self._hand_over, device, frame))

    def _hand_over(self, device: Driver, frame: NcpFrame) -> None:
        device.put(frame)


class Moved(Meter):
    """The bytes that several workstations have read and written, counted as they arrive, because a run asks for their
    number after each event."""

    __slots__ = ("nbytes",)

    def __init__(self) -> None:
        self.nbytes = 0

    def reading(self) -> i64:
        return self.nbytes

    def audit(self, workstations: Sequence[NcpWorkstation]) -> None:
        """Check that it is the sum of the workstations' own counts. Raises ConservationError."""
        counted = sum([one.read_bytes + one.written_bytes for one in workstations])
        if self.nbytes != counted:
            raise ConservationError(f"{self.nbytes} bytes read and written by all, {counted} by each")


@mypyc_attr(allow_interpreted_subclasses=True)
class NcpWorkstation(NcpEnd):
    """Asks the server at the address `server`, which agrees to the sizes in `peer` (None: to any that it is asked
    for). The bytes that it reads and writes also count in `moved`."""

    def __init__(
        self,
        host: Host,
        spec: NcpHostSpec,
        address: str,
        server: str,
        peer: NcpSpec | None = None,
        moved: Moved | None = None,
    ) -> None:
        super().__init__(host, spec, address)
        self.device: Driver = host.drivers[0]
        self.read_bytes = self.written_bytes = self.requests = self.repeated = 0
        self._moved = moved or Moved()
        self.agreed = self.ncp.agreed(peer or self.ncp)
        self.server = server
        self._then: Callable[[], None] = lambda: None
        self._rest_of_it: Iterator[NcpRequest] = iter(())  # requests still to be made
        self._exchange: NcpExchange | None = None  # the current exchange
        self._there: set[int] = set()  # frames of its reply that have arrived
        self._retry = Timer(host.env, self._repeat)

    def read(self, length: int, then: Callable[[], None]) -> None:
        """Read `length` bytes, and call `then` when they have arrived."""
        self.ask(NcpRequest("read", asked=length), then)

    def ask(self, request: NcpRequest, then: Callable[[], None]) -> None:
        """Make `request`, split into as many requests as needed, and call `then` when the last reply is complete."""
        if self._exchange is not None:
            raise SimulationError(f"{self.address} asks while its last request is not answered")
        self._then = then
        self._rest_of_it = self.agreed.requests(request)
        self._ask(next(self._rest_of_it))

    def _ask(self, request: NcpRequest) -> None:
        self.requests += 1
        self._exchange = exchange = NcpExchange(self.address, self.requests, request, self.agreed.largest)
        self._there.clear()
        frames = self._message(self.server, "request", exchange)
        self._spend(self.costs.request, partial(self._send, frames, self.device))

    def _hand_over(self, device: Driver, frame: NcpFrame) -> None:
        frame.owner = self
        device.put(frame)
        self._listen(frame.exchange)

    def freed(self, frame: NcpFrame) -> None:
        """The driver has released a frame. A long burst may wait for the wire until then."""
        self._listen(frame.exchange)

    def _listen(self, exchange: NcpExchange) -> None:
        """Wait from now on for what comes next in this exchange, unless it is over."""
        if exchange is self._exchange:
            self._retry.set(self.host.calendar.now + self.ncp.retry)

    def _repeat(self) -> None:
        exchange = self._exchange
        assert exchange is not None
        self.repeated += 1
        frames = self._message(self.server, "request", exchange, (0,))
        frames[0].lacking = absent(len(exchange.lengths("reply")), self._there)
        self._spend(self.costs.request, partial(self._send, frames, self.device))

    def put(self, frame: NcpFrame) -> None:
        exchange = self._exchange
        if exchange is not frame.exchange:
            return  # a reply to a repeated request
        if frame.part == "lacking":
            self._listen(exchange)
            self._send_again(exchange, frame.lacking or ())
            return
        self._there.add(frame.number)
        if len(self._there) < frame.of:
            self._listen(exchange)
        else:
            self._answered(exchange.request)

    def _send_again(self, exchange: NcpExchange, numbers: Sequence[int]) -> None:
        """The server lacks these frames of the request."""
        for frame in self._message(self.server, "request", exchange, numbers):
            self._spend(self.costs.fragment, partial(self._hand_over, self.device, frame))

    def _answered(self, request: NcpRequest) -> None:
        self._exchange = None
        self._retry.cancel()
        if request.kind == "read":
            self.read_bytes += request.asked
            self._moved.nbytes += request.asked
        elif request.kind == "write":
            self.written_bytes += request.sent
            self._moved.nbytes += request.sent
        following = next(self._rest_of_it, None)
        if following is None:
            self._then()
        else:
            self._ask(following)
