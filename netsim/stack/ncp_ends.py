"""The two ends of NetWare's core protocol in a running simulation (netsim.stack.ncp)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netsim.engine import Timer
from netsim.host import Driver, Host, Task, Work
from netsim.host.task import INTERRUPT, PROCESS
from netsim.stack.ncp import NcpCosts, NcpFrame, NcpHostSpec


class NcpSender:
    """Sends one frame after the other, each after what a process does for it."""

    def __init__(self, host: Host, spec: NcpHostSpec, address: str) -> None:
        self.host = host
        self.ncp = spec.system.ncp
        self.address = address
        self.device: Driver = host.drivers[0]
        self._costs = NcpCosts(spec)
        self._asked: deque[NcpFrame] = deque()  # to be made
        self._made: deque[NcpFrame] = deque()  # to be handed to the driver
        self._rest: Work | None = None  # what is left to do for a frame that the card has begun with
        self._process = host.process(self._make, self._is_made)
        masked = spec.system.kernel.send_masked
        self._driver = Task(INTERRUPT if masked else PROCESS, self._hand_over, self._handed_over, masked=masked)
        host.handlers[address] = self

    def _reply_to(self, frame: NcpFrame) -> None:
        raise NotImplementedError

    def arriving(self, frame: NcpFrame) -> None:
        """See host.Handler: a process does what there is to do."""
        self._reply_to(frame)

    def arrived(self, frame: NcpFrame) -> None:
        """See host.Handler."""

    def _post(self, frame: NcpFrame) -> None:
        self._asked.append(frame)
        self.host.wake(self._process)

    def _make(self) -> Work | None:
        return self._costs.request if self._asked else None

    def _is_made(self) -> bool:
        self._made.append(self._asked.popleft())
        self.host.processors[0].kick(self._driver)
        return bool(self._asked)

    def _hand_over(self) -> Work | None:
        if self._rest is not None:
            return self._rest
        return self._costs.send(self._made[0].size, self.device.straight()) if self._made else None

    def _handed_over(self) -> bool:
        if self._rest is not None:
            self._rest = None
        else:
            self._rest = self.device.send(self._made.popleft())
        return self._rest is not None or bool(self._made)


class NcpServer(NcpSender):
    """Answers requests in the order in which they come."""

    def __init__(self, host: Host, spec: NcpHostSpec, address: str) -> None:
        super().__init__(host, spec, address)
        self.requests = self.replied_bytes = 0

    def _reply_to(self, frame: NcpFrame) -> None:
        self.requests += 1
        self.replied_bytes += frame.length
        size = self.ncp.reply_frame(frame.length)
        self._post(NcpFrame(size, frame.sender, self.address, frame.sequence, frame.length))


class NcpWorkstation(NcpSender):
    """Reads from the server at the address `server`."""

    def __init__(self, host: Host, spec: NcpHostSpec, address: str, server: str) -> None:
        super().__init__(host, spec, address)
        self.read_bytes = self.requests = self.repeated = 0
        self._server = server
        self._then: Callable[[], None] = lambda: None
        self._request: NcpFrame | None = None  # not answered yet
        self._retry = Timer(host.env, self._repeat)

    def read(self, length: int, then: Callable[[], None]) -> None:
        """Read `length` bytes by one request, and call `then` when they are there."""
        self._then = then
        self.requests += 1
        self._ask(length)

    def _ask(self, length: int) -> None:
        self._retry.set(self.host.env.now + self.ncp.retry)
        self._request = NcpFrame(self.ncp.request_frame(), self._server, self.address, self.requests, length)
        self._post(self._request)

    def _repeat(self) -> None:
        assert self._request is not None
        self.repeated += 1
        self._ask(self._request.length)

    def _reply_to(self, frame: NcpFrame) -> None:
        request = self._request
        if request is None or frame.sequence != request.sequence:
            return  # a reply to what was asked twice
        self._request = None
        self._retry.cancel()
        self.read_bytes += frame.length
        self._then()
