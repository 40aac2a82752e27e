"""Ziff-Davis NetBench 5, Disk Mix: clients that use files on a server as fast as it allows.

Each client has one file operation under way at a time, and visits files of its workspace or shared files in succession
(netsim.workload.netbench.file_mix). NetBench reports the bytes that all clients read and write per second, in steady
state, without ramp-up and ramp-down. When the test begins, the server's memory has the contents that long use leaves.
Source: IBM's report on the Netfinity 5500 (March 1999) for workspaces and settings, and general knowledge for the
rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.scenario import StreamRun
from netsim.topology.hubs import NcpHubs
from netsim.units import KBYTE_PER_S, Count, Fraction, Parts, PositiveBytes, PositiveTime, RateUnit, S
from netsim.workload.file_service import check_files, check_threads
from netsim.workload.netbench.bounds import netbench_bounds
from netsim.workload.netbench.file_mix import FileMixSpec
from netsim.workload.netbench.run import NetBenchRun


class NetBench(NcpHubs):
    """`clients` clients, each described by `client`, use files on `server` according to `mix`, each in its own
    `workspace` (bytes). The server's core protocol has up to `threads` service processes. `duration` is in ps.

    Positional arguments: server, client, clients, mix.
    """

    unit: ClassVar[RateUnit] = KBYTE_PER_S
    closed: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("server", "client", "clients", "mix")

    mix: FileMixSpec
    workspace: PositiveBytes = 80_000_000
    threads: Parts = 70
    duration: PositiveTime = 600 * S
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(
            self, server: Any = ..., client: Any = ..., clients: Any = ..., mix: Any = ..., **keys: Any
        ) -> None: ...

    @model_validator(mode="after")
    def _stored(self) -> Self:
        """Each workspace holds at least one file, and the disks hold all workspaces; a call has one frame each way."""
        if self.workspace < self.mix.file_size:
            text = f"{self.workspace} bytes don't hold a file; allowed: {self.mix.file_size} (mix.file_size) or more"
            raise ScenarioError(text, address="workspace")
        largest = self.client.system.ncp.agreed(self.server.system.ncp).largest
        for name, nbytes in (("call", self.mix.call), ("call_reply", self.mix.call_reply)):
            if nbytes > largest:
                text = f"{nbytes} bytes don't fit into one frame; allowed: up to {largest}"
                raise ScenarioError(text, address=f"mix.{name}")
        check_files(self.server, self.clients * self.workspace + self.mix.shared_bytes, "workspace")
        check_threads(self.server, min(self.clients, self.threads))
        return self

    @property
    def most_threads(self) -> int:
        """The largest number of service processes that the server makes."""
        return self.threads

    @property
    def label(self) -> str:
        return "NetBench Disk Mix"

    def bounds(self) -> Bounds:
        return netbench_bounds(self)

    def build(self, env: Environment) -> StreamRun:
        return NetBenchRun(env, self)
