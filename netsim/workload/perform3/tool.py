"""PERFORM3: workstations repeatedly read a file from a server's cache, over one shared segment.

Each file size has its turn, for `duration`; a file is read in successive requests, with packet burst if both ends have
it. The result is the mean over file sizes of the throughput of all workstations together, in KB/s of 1000 bytes.
Source: National Semiconductor, application note TL/F/11791, "How does PERFORM3 work?". A workstation is assumed to do
no work between two files: a seek sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import SegmentSpec
from netsim.scenario import Scenario
from netsim.stack import NcpHostSpec
from netsim.topology.stations import check_adapter, check_distances, check_frame, position
from netsim.units import KBYTE_PER_S, KIB, Count, Fraction, MessageBytes, PositiveTime, RateUnit, S
from netsim.workload.perform3.bounds import perform3_bounds
from netsim.workload.perform3.run import SERVER, Perform3Run


class Perform3(Scenario):
    """`workstations` read files from `server`, of each of the `file_sizes` (bytes) in turn, for `duration` (ps) each.
    The server is at the beginning of the segment, and stations are `spacing` metres apart; on a hub, that is the length
    of each cable. Every file size has the same number of iterations: as many as fit into `min_iterations` to
    `max_iterations`, at least one.

    Positional arguments: server, workstations.
    """

    unit: ClassVar[RateUnit] = KBYTE_PER_S
    positional: ClassVar[tuple[str, ...]] = ("server", "workstations")

    server: NcpHostSpec
    workstations: tuple[NcpHostSpec, ...]
    segment: SegmentSpec = Field(default_factory=lambda: SegmentSpec.from_name("10base2"))
    spacing: Count = 5
    file_sizes: tuple[MessageBytes, ...] = tuple(range(1 * KIB, 11 * KIB, KIB))
    duration: PositiveTime = 30 * S
    min_iterations: Count = 10
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, server: Any = ..., workstations: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """There is a workstation and a file to read, every station has an adapter for the segment, and all stations
        detect each other in time."""
        for name in ("workstations", "file_sizes"):
            if not getattr(self, name):
                raise ScenarioError("[] is not allowed; allowed: at least one", address=name)
        self._check(SERVER, self.server)
        for number, host in enumerate(self.workstations):
            self._check(f"workstations.{number}", host)
        check_distances(self.segment, self.spacing, [SERVER, *self.names], "workstations")
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
        """The place (metres) of the station of this number, from 0 (the server), along the cable, or its distance to
        the hub."""
        return position(self.segment, self.spacing, number)

    @property
    def turns(self) -> int:
        return len(self.file_sizes)

    def turn(self, iteration: int) -> Self:
        """The test with only the file size of this iteration."""
        return self.replace("file_sizes", [self.file_sizes[iteration % len(self.file_sizes)]])

    def bounds(self) -> Bounds:
        return perform3_bounds(self)

    def build(self, env: Environment) -> Perform3Run:
        """The run, with the first file size if there are several."""
        return Perform3Run(env, self)
