"""Requests and responses between two current hosts: netperf's TCP_RR and UDP_RR, and remote procedure calls.

A client process repeatedly sends a small message and waits for the response of a server process. The results are
transactions per second, and how long each takes in every stage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec
from netsim.scenario import Scenario
from netsim.stack import MessageProtocolSpec, RequestHostSpec
from netsim.stack.message_costs import MessageCosts
from netsim.units import MS, TPS, Count, Fraction, MessageBytes, NonNegativeCount, PositiveTime, RateUnit, Time
from netsim.workload.intact import check_intact
from netsim.workload.requests import bounds
from netsim.workload.requests.run import RequestsRun

CLIENT, SERVER = "client", "server"  # their names in accounts


class Requests(Scenario):
    """A `client` sends requests of `request` bytes over a `protocol`, and a `server` answers each with `response`
    bytes; `burst` additional requests are under way at once (as with netperf's `-b`). A `link` connects the two hosts,
    or each of them to a switch, which forwards the first bit of a frame after `switch` (ps; None: no switch).

    Positional arguments: protocol, client, server.
    """

    positional: ClassVar[tuple[str, ...]] = ("protocol", "client", "server")

    protocol: MessageProtocolSpec
    client: RequestHostSpec
    server: RequestHostSpec
    request: MessageBytes = 1
    response: MessageBytes = 1
    burst: NonNegativeCount = 0
    link: LinkSpec
    switch: Time | None = None
    duration: PositiveTime = 100 * MS
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, protocol: Any = ..., client: Any = ..., server: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Each message fits one frame, and there is room for all messages under way."""
        most = min(self.link.mtu, *(host.adapter.max_mtu for host in self.hosts.values())) - self.protocol.header
        for name in ("request", "response"):
            if (size := getattr(self, name)) > most:
                text = f"{size} bytes don't fit into a frame; allowed: 1 to {max(0, most)}"
                raise ScenarioError(text, address=name)
        for name, host in self.hosts.items():
            if self.link.rate > host.adapter.rate:
                text = f"{self.link.rate} bit/s are more than the adapter of {name} supports ({host.adapter.rate})"
                raise ScenarioError(text, address="link.rate")
            if self.outstanding > host.room:
                text = f"{self.outstanding} messages at once don't fit into the queues of the {name}"
                raise ScenarioError(f"{text}; allowed: 0 to {host.room - 1}", address="burst")
        check_intact(self.link)
        return self

    @property
    def hosts(self) -> dict[str, RequestHostSpec]:
        """Both hosts, by their names in accounts."""
        return {CLIENT: self.client, SERVER: self.server}

    @property
    def label(self) -> str:
        return "requests"

    @property
    def unit(self) -> RateUnit:
        return TPS

    @property
    def closed(self) -> bool:
        return True

    @property
    def outstanding(self) -> int:
        """Transactions under way at once."""
        return 1 + self.burst

    @property
    def sizes(self) -> tuple[int, int]:
        """Bytes of the frames that the client and the server send."""
        return self.protocol.frame(self.request), self.protocol.frame(self.response)

    @property
    def costs(self) -> tuple[MessageCosts, MessageCosts]:
        """The costs of the client and of the server."""
        return (
            self.client.costs(self.protocol, self.request, self.response, opens=True),
            self.server.costs(self.protocol, self.response, self.request, opens=False),
        )

    @property
    def cable(self) -> int:
        """The time (ps) of the path, apart from the frame's own time and the switch."""
        return self.link.delay * (1 if self.switch is None else 2)

    def bounds(self) -> Bounds:
        return Bounds(bounds.demand(self), 1, TPS, alone=bounds.alone(self))

    def build(self, env: Environment) -> RequestsRun:
        return RequestsRun(env, self)
