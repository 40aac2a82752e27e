"""Ziff-Davis ServerBench 4: clients that make as many transactions with an application server as it will answer.

Each client has one transaction under way at a time and no think time. It draws the type of the next one from the mix;
the server's threads take requests in order of arrival, compute, read and write records in the client's data segment,
and reply. Segments are contiguous on the server's volume, and its memory holds as much of them as fits: when the test
begins, memory has the pages that a long run would have left. TPS is transactions per second in steady state, without
ramp-up and ramp-down. Source: IBM's report on the Netfinity 5500 (March 1999) for threads, segments and delays, and
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
    """`clients` clients, each described by `client`, make the transactions of `mix` with `server`; each client has its
    own `data_segment` (bytes) there. The server has up to `threads` service threads, and one more for each of its
    processors. `duration` is in ps.

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
        """Threads leave memory for files; the disks hold the data segments, and these hold the records."""
        check_threads(self.server, min(self.clients, self.most_threads))
        stored = {name: one.record for name, one in self.mix.kinds.items() if one.records}
        if stored:
            check_files(self.server, self.clients * self.data_segment, "data_segment")
        for name, record in stored.items():
            if record > self.data_segment:
                text = f"{record} bytes don't fit into a data segment ({self.data_segment} bytes)"
                raise ScenarioError(text, address=f"mix.{name.replace(' ', '_').replace('/', '_')}.record")
        return self

    @property
    def most_threads(self) -> int:
        """The largest number of threads that the server makes."""
        return self.threads + self.server.processors.count

    @property
    def label(self) -> str:
        return "ServerBench"

    def bounds(self) -> Bounds:
        return serverbench_bounds(self)

    def build(self, env: Environment) -> StreamRun:
        return ServerBenchRun(env, self)
