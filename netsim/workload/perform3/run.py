"""PERFORM3 in a running simulation: the server, the workstations and the segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import SEGMENT
from netsim.engine import Environment, Meter
from netsim.errors import ConservationError
from netsim.ethernet import Segment
from netsim.machine import Host
from netsim.scenario import StreamRun
from netsim.stack import NcpHostSpec, NcpServer, NcpWorkstation
from netsim.stack.ncp_ends import Moved
from netsim.topology.ledger import Ledger
from netsim.topology.stations import contention, join
from netsim.units import MS

if TYPE_CHECKING:
    from netsim.workload.perform3.tool import Perform3

SERVER = "server"
_START_SPREAD = 10 * MS  # ps: workstations begin within ten milliseconds


class Perform3Run(StreamRun):
    """The server, the workstations and the segment in a running simulation."""

    def __init__(self, env: Environment, test: Perform3) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self.segment = env.part(Segment)(env, test.segment, Resource("", SEGMENT))
        specs = {SERVER: test.server} | dict(zip(test.names, test.workstations, strict=True))
        hosts = {name: self._join(name, spec, number) for number, (name, spec) in enumerate(specs.items())}
        self.server = env.part(NcpServer)(hosts[SERVER], test.server, SERVER)
        self._moved = Moved()
        self.workstations = [
            env.part(NcpWorkstation)(hosts[name], spec, name, SERVER, test.server.system.ncp, self._moved)
            for name, spec in specs.items()
            if name != SERVER
        ]
        self.ledger = Ledger(env, hosts, [self.segment])

    def _join(self, name: str, spec: NcpHostSpec, number: int) -> Host:
        host = self.env.part(Host)(self.env, spec, name, half_duplex=True)
        join(self.segment, host, self.test.position(number))
        return host

    def start(self) -> None:
        """Workstations begin at times drawn from the seed."""
        starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.workstations))
        for one, start in zip(self.workstations, starts, strict=True):
            self.env.call_in(int(start), self._begin, one)

    def _begin(self, workstation: NcpWorkstation) -> None:
        size = self.test.file_sizes[0]

        def again() -> None:
            workstation.read(size, again)

        again()

    @property
    def delivered(self) -> int:
        return self._moved.nbytes

    @property
    def meter(self) -> Meter:
        return self._moved

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    @property
    def frames(self) -> int:
        return self.ledger.frames

    def accounts(self) -> Accounts:
        pairs = {one.address: one.read_bytes for one in self.workstations}
        repeated = sum(one.repeated for one in self.workstations)
        counts = {"requests": self.server.requests, "requests repeated": repeated, **contention([self.segment])}
        return self.ledger.read(self.delivered, counts, pairs=pairs)

    def audit(self) -> None:
        """Check that no more is read than the server has sent. Raises ConservationError."""
        self.ledger.audit()
        self._moved.audit(self.workstations)
        if self.delivered > self.server.replied_bytes:
            raise ConservationError(f"{self.delivered} bytes read, {self.server.replied_bytes} sent")

    def waiting_for(self) -> str:
        asked = sum(one.requests for one in self.workstations)
        return f"{asked} requests made, {self.server.requests} taken by the server"
