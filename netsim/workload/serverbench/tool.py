"""Ziff-Davis ServerBench 4: clients that make transactions with an application server, as many as it will answer.

Each client has one transaction under way at a time and no time to think. It draws the next one's kind from the mix; the
server's threads take requests as they come, compute, read and write records in the client's data segment, and reply.
Segments lie one behind the other on the server's volume, and are in its memory as far as that reaches: which pages are
there when the test begins is what a long run would have left. TPS is transactions per second in steady state, ramp-up
and ramp-down left out. Source: IBM's report on the Netfinity 5500 (March 1999) for threads, segments and delays, and
general knowledge for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.scenario import StreamRun
from netsim.topology.hubs import TcpHubs
from netsim.units import MIB, TPS, Count, Fraction, Parts, PositiveBytes, PositiveTime, RateUnit, S
from netsim.workload.file_service import check_files, check_threads
from netsim.workload.serverbench.bounds import serverbench_bounds
from netsim.workload.serverbench.run import ServerBenchRun
from netsim.workload.serverbench.server_mix import ServerMixSpec


class ServerBench(TcpHubs):
    """`clients` like `client` make the transactions of `mix` with `server`, each in a `data_segment` of its own
    (bytes). The server has up to `threads` service threads, and one more for each of its processors. `duration` in ps.

    Positional arguments: server, client, clients, mix.
    """

    unit: ClassVar[RateUnit] = TPS
    closed: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("server", "client", "clients", "mix")

    mix: ServerMixSpec
    data_segment: PositiveBytes = 16 * MIB
    threads: Parts = 47
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
        """Threads leave memory for files; data segments are on disks that hold them, and hold the records."""
        check_threads(self.server, min(self.clients, self.most_threads))
        stored = {name: one.record for name, one in self.mix.kinds.items() if one.records}
        if stored:
            check_files(self.server, self.clients * self.data_segment, "data_segment")
        for name, record in stored.items():
            if record > self.data_segment:
                text = f"{record} bytes are more than a data segment has ({self.data_segment})"
                raise ScenarioError(text, address=f"mix.{name.replace(' ', '_').replace('/', '_')}.record")
        return self

    @property
    def most_threads(self) -> int:
        """The most threads that the server makes."""
        return self.threads + self.server.processors.count

    @property
    def label(self) -> str:
        return "ServerBench"

    def bounds(self) -> Bounds:
        return serverbench_bounds(self)

    def build(self, env: Environment) -> StreamRun:
        return ServerBenchRun(env, self)
