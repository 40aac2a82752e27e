"""A server and its clients on hubs in a running simulation: the machines, the segments, and the accounts of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

from netsim.accounts import Accounts
from netsim.engine import Environment
from netsim.engine.transactions import Transactions
from netsim.errors import ConservationError
from netsim.ethernet import Segment
from netsim.machine import Host, Threads
from netsim.scenario import Run
from netsim.stack import Computer, NcpServer, NcpWorkstation, TcpSocket, connect
from netsim.stack.ncp_ends import Moved
from netsim.stack.ncp_server import Service, answer_at_once
from netsim.topology.hubs import SERVER, Hubs, NcpHubs, TcpHubs
from netsim.topology.ledger import Ledger
from netsim.topology.stations import contention, join, position

Machine = TypeVar("Machine", bound=Host)


class HubsRun(Run, Generic[Machine]):
    """The segments, the machines and the server's threads in a running simulation; `make` makes each machine from its
    description and its name. The clients make transactions of these `kinds`."""

    def __init__(
        self, env: Environment, test: Hubs, make: Callable[[Any, str], Machine], kinds: Iterable[str] = ()
    ) -> None:
        self.env = env
        self.transactions = Transactions(env, kinds, test.clients)
        self.segments = [env.part(Segment)(env, test.segment, test.wire(number)) for number in range(test.ports)]
        self.hosts = {name: make(spec, name) for name, spec in test.hosts().items()}
        for number, segment in enumerate(self.segments):
            for place, name in enumerate([SERVER, *test.on_segment(number)]):
                where = position(test.segment, test.spacing, place)
                join(segment, self.hosts[name], where, number if name == SERVER else 0)
        self.threads = Threads(self.hosts[SERVER], test.most_threads)
        self.ledger = Ledger(
            env, self.hosts, self.segments, transactions=self.transactions, threads=[self.threads]
        )

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    @property
    def frames(self) -> int:
        return self.ledger.frames

    def read_accounts(self, delivered: int, counts: Mapping[str, int]) -> Accounts:
        """The accounts up to now, with the values that only the workload knows."""
        return self.ledger.read(delivered, {**counts, **contention(self.segments)})

    def audit(self) -> None:
        self.ledger.audit()


class TcpHubsRun(HubsRun[Computer]):
    """Computers on hubs."""

    def __init__(self, env: Environment, test: TcpHubs, kinds: Iterable[str] = ()) -> None:
        super().__init__(env, test, partial(env.part(Computer), env, half_duplex=True), kinds)
        self._mtu, self._names = test.mtu, test.client_names

    def connect(self, client: int, name: str) -> tuple[TcpSocket, TcpSocket]:
        """A connection opened by the client of this number, from 0: the server's socket and the client's, both with
        TCP_NODELAY."""
        segment, whose = self.segments[client % len(self.segments)], self._names[client]
        ends = self.hosts[SERVER], self.hosts[whose]
        near, far = connect(*ends, self._mtu, name, nodelay=True, peers=(client, 0))
        segment.learn(near.peer_port, segment.owner(whose))
        segment.learn(far.peer_port, segment.owner(SERVER))
        return near, far


class NcpHubsRun(HubsRun[Host]):
    """A server and its workstations on hubs; `service` serves every request."""

    def __init__(
        self, env: Environment, test: NcpHubs, service: Service = answer_at_once, kinds: Iterable[str] = ()
    ) -> None:
        super().__init__(env, test, partial(env.part(Host), env, half_duplex=True), kinds)
        self.server = env.part(NcpServer)(self.hosts[SERVER], test.server, SERVER, service)
        peer = test.server.system.ncp
        part, self.moved = env.part(NcpWorkstation), Moved()
        self.workstations = [
            part(self.hosts[name], test.client, name, SERVER, peer, self.moved) for name in test.client_names
        ]

    def audit(self) -> None:
        """Check that no more is read than the server has sent, and no more acknowledged as written than it has
        received. Raises ConservationError."""
        super().audit()
        read = sum(one.read_bytes for one in self.workstations)
        written = sum(one.written_bytes for one in self.workstations)
        if read > self.server.replied_bytes or written > self.server.written_bytes:
            got = f"{self.server.replied_bytes} sent and {self.server.written_bytes} got by the server"
            raise ConservationError(f"{read} bytes read and {written} written, {got}")
        self.moved.audit(self.workstations)
