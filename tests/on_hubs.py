"""A server and its clients on hubs, with nothing to do; a test adds what its tool would."""

from __future__ import annotations

from collections.abc import Callable

from netsim.accounts.bounds import Bounds
from netsim.engine import Environment
from netsim.scenario import Scenario
from netsim.stack import NcpRequest, NcpWorkstation
from netsim.stack.messages import TcpEndpoint
from netsim.topology.hubs import NcpHubs, TcpHubs
from netsim.topology.hubs_run import NcpHubsRun, TcpHubsRun


class _Idle(Scenario):
    min_iterations: int = 1
    max_iterations: int = 1
    confidence: float = 0.99
    interval: float = 0.1

    @property
    def label(self) -> str:
        return "a test"

    @property
    def most_threads(self) -> int:
        return 1

    def bounds(self) -> Bounds:
        raise NotImplementedError


class TcpTest(_Idle, TcpHubs):
    """Hosts with TCP."""

    def build(self, env: Environment) -> TcpHubsRun:
        return TcpHubsRun(env, self)


class NcpTest(_Idle, NcpHubs):
    """Hosts with the core protocol."""

    def build(self, env: Environment) -> NcpHubsRun:
        return NcpHubsRun(env, self)


class Exchanges:
    """A client that sends messages over TCP, each answered by the server; `sizes` has a pair for each (bytes)."""

    def __init__(self, run: TcpHubsRun, client: int, sizes: list[tuple[int, int]]) -> None:
        self.sockets = server, own = run.connect(client, f"pair {client + 1}")
        self._server, self._own = TcpEndpoint(server), TcpEndpoint(own)
        self._asks, self._answers = iter(sizes), iter(sizes)
        self.answered: list[int] = []  # when (ps)
        self._env = run.env
        self._serve()
        self._ask()

    def _ask(self) -> None:
        sizes = next(self._asks, None)
        if sizes is not None:
            self._own.send(sizes[0], lambda: self._own.receive(sizes[1], self._done))

    def _done(self) -> None:
        self.answered.append(self._env.now)
        self._ask()

    def _serve(self) -> None:
        sizes = next(self._answers, None)
        if sizes is not None:
            self._server.receive(sizes[0], lambda: self._server.send(sizes[1], self._serve))


def ask_all(workstation: NcpWorkstation, requests: list[NcpRequest], done: Callable[[], None] = lambda: None) -> None:
    """Sends the requests one after the other, then calls `done`."""
    left = iter(requests)

    def following() -> None:
        request = next(left, None)
        if request is None:
            done()
        else:
            workstation.ask(request, following)

    following()
