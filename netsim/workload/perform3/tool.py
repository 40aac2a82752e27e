"""PERFORM3: workstations read a file from a server's cache, again and again, over one shared segment.

Each file size has its turn, for `duration`; a file is read by as many requests as it takes, one after the other. The
figure is the mean over file sizes of what all workstations read together, in KB/s of 1000 bytes.
Source: National Semiconductor, application note TL/F/11791, "How does PERFORM3 work?". What a workstation does between
two files is taken to be nothing: a seek stays within it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Accounts, Bounds, Resource
from netsim.accounts.resource import SEGMENT
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.ethernet import Segment, SegmentSpec
from netsim.machine import Host
from netsim.scenario import Scenario, StreamRun
from netsim.stack import NcpHostSpec, NcpServer, NcpWorkstation
from netsim.stack.ncp_messages import cut
from netsim.topology.ledger import Ledger
from netsim.topology.stations import check_adapter, check_distances, check_frame, contention, join, position
from netsim.units import KBYTE_PER_S, KIB, Count, Fraction, PositiveBytes, PositiveTime, RateUnit, S
from netsim.workload.perform3.bounds import perform3_bounds

SERVER = "server"
_START_SPREAD = 10**10  # ps: workstations begin within ten milliseconds


class Perform3(Scenario):
    """`workstations` read from `server`, each in turn `file_sizes` (bytes) for `duration` (ps). The server is at the
    beginning of the segment, and the stations are `spacing` metres from each other; on a hub that is each one's cable.

    Without names: server, workstations.
    """

    unit: ClassVar[RateUnit] = KBYTE_PER_S
    positional: ClassVar[tuple[str, ...]] = ("server", "workstations")

    server: NcpHostSpec
    workstations: tuple[NcpHostSpec, ...]
    segment: SegmentSpec = Field(default_factory=lambda: SegmentSpec.from_name("10base2"))
    spacing: Count = 5
    file_sizes: tuple[PositiveBytes, ...] = tuple(range(1 * KIB, 11 * KIB, KIB))
    duration: PositiveTime = 30 * S
    min_iterations: Count = 10
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # or values without names, and texts, would be refused

        def __init__(self, server: Any = ..., workstations: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """A workstation reads a file, every station has an adapter for the segment, and all hear each other in time."""
        for name in ("workstations", "file_sizes"):
            if not getattr(self, name):
                raise ScenarioError("[] is not allowed; allowed: at least one", address=name)
        self._check(SERVER, self.server)
        for number, host in enumerate(self.workstations):
            self._check(f"workstations.{number}", host)
        check_distances(self.segment, self.spacing, [SERVER, *self.names])
        return self

    def _check(self, address: str, host: NcpHostSpec) -> None:
        nic = check_adapter(address, host, self.segment)
        ncp = host.system.ncp
        check_frame(f"{address}.system.ncp.largest", ncp.largest, ncp.reply_frame(ncp.largest), nic, self.segment)

    @property
    def label(self) -> str:
        return "PERFORM3"

    @property
    def names(self) -> list[str]:
        """The workstations' names in accounts."""
        return [f"workstation{number}" for number, _ in enumerate(self.workstations, 1)]

    def position(self, number: int) -> int:
        """Metres along the cable, or to the hub, of the station of this number, from 0: the server."""
        return position(self.segment, self.spacing, number)

    def turn(self, iteration: int) -> Self:
        """A file size of its own."""
        return self.replace("file_sizes", [self.file_sizes[iteration % len(self.file_sizes)]])

    def reads(self, workstation: NcpHostSpec, size: int) -> list[int]:
        """Bytes of each request for a file of `size` bytes."""
        agreed = workstation.system.ncp.agreed(self.server.system.ncp)
        return list(cut(size, agreed.largest))

    def bounds(self) -> Bounds:
        return perform3_bounds(self)

    def build(self, env: Environment) -> Perform3Run:
        """The run with the first of several file sizes."""
        return Perform3Run(env, self)


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
        self.workstations = [
            env.part(NcpWorkstation)(hosts[name], spec, name, SERVER, test.server.system.ncp)
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
        for one, spec, start in zip(self.workstations, self.test.workstations, starts, strict=True):
            reads = cycle(self.test.reads(spec, self.test.file_sizes[0]))
            self.env.call_in(int(start), self._begin, (one, reads))

    def _begin(self, who: tuple[NcpWorkstation, Iterator[int]]) -> None:
        workstation, reads = who

        def following() -> None:
            workstation.read(next(reads), following)

        following()

    @property
    def delivered(self) -> int:
        return sum(one.read_bytes for one in self.workstations)

    def accounts(self) -> Accounts:
        pairs = {one.address: one.read_bytes for one in self.workstations}
        repeated = sum(one.repeated for one in self.workstations)
        counts = {"requests": self.server.requests, "requests repeated": repeated, **contention([self.segment])}
        return self.ledger.read(self.delivered, counts, pairs=pairs)

    def audit(self) -> None:
        """No more is read than the server has sent."""
        self.ledger.audit()
        if self.delivered > self.server.replied_bytes:
            raise ConservationError(f"{self.delivered} bytes read, {self.server.replied_bytes} sent")

    def waiting_for(self) -> str:
        asked = sum(one.requests for one in self.workstations)
        return f"{asked} requests made, {self.server.requests} taken by the server"
