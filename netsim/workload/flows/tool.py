"""Flows between processes on the hosts of a user-defined network.

The parts are those of the other tools: a stream is netperf's TCP_STREAM, datagrams are its UDP_STREAM, requests and
responses its TCP_RR and UDP_RR. The throughput is the payload that the processes of all flows read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError, nearest, show
from netsim.spec.named_table import NamedTable, TableOf, by_name
from netsim.stack import ComputerSpec, ip, udp
from netsim.topology.bonded import Lanes, lanes
from netsim.topology.cabling import check_windows
from netsim.topology.network import Network
from netsim.topology.outages import check_link_outages, link_moments
from netsim.topology.routes import Hop, Hops, Route
from netsim.units import Count, Fraction, PositiveTime, S, format_time
from netsim.workload.flows.bounds import flow_bounds, network_bounds
from netsim.workload.flows.flow_spec import DatagramsSpec, FlowSpec
from netsim.workload.flows.run import FlowsRun


class Flows(Network):
    """A network and the `flows` in it, with user-defined names. Positional arguments: hosts, flows."""

    positional: ClassVar[tuple[str, ...]] = ("hosts", "flows")

    flows: Annotated[NamedTable, BeforeValidator(TableOf(FlowSpec))]
    duration: PositiveTime = 60 * S
    min_iterations: Count = 2
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, hosts: Any = ..., flows: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """There is at least one flow, and each has two hosts with a path between them that can carry it. Links fail
        within the test."""
        check_link_outages(self.outages, self.cables, self.duration)
        if not self.each:
            raise ScenarioError("{} is not allowed; allowed: at least one flow", address="flows")
        for name, flow in self.each.items():
            self._check_flow(flow, f"flows.{name}")
        used = set()
        for name, route in self.routes().items():
            if route is None:
                flow = self.each[name]
                text = f"no path from {show(flow.sender)}; allowed: {self._reached(flow.sender)}"
                raise ScenarioError(text, address=f"flows.{name}.receiver")
            used |= {section.name for way in route for section in self.sections(way)}
        if idle := [name for name in self.enclosing if name not in used]:
            text = "no flow passes through both of its ends; allowed: two gateways on the path of a flow"
            raise ScenarioError(text, address=f"tunnels.{idle[0]}.ends")
        return self

    def _check_flow(self, flow: FlowSpec, address: str) -> None:
        for name in ("sender", "receiver"):
            if (host := getattr(flow, name)) not in (*self.computers, *self.testers):
                text = f"no host is called {show(host)}{nearest(host, [*self.computers, *self.testers])}"
                raise ScenarioError(text, address=f"{address}.{name}")
        for name, time in (("start", flow.start), ("stop", flow.stop)):
            if time is not None and time >= self.duration + (name == "stop"):
                text = f"{format_time(time)} is not within the test; allowed: up to {format_time(self.duration)}"
                raise ScenarioError(text, address=f"{address}.{name}")
        if {flow.sender, flow.receiver} & {*self.testers}:
            self._check_tested(flow, address)
            return
        sender, receiver = self.ends_of(flow)
        if flow.over_tcp:
            check_windows((f"hosts.{flow.sender}", sender), (f"hosts.{flow.receiver}", receiver), self.mtu)
        try:
            flow.check(sender)
        except ScenarioError as error:
            raise error.at(address) from None
        for host, size in zip((sender, receiver), flow.datagrams, strict=False):
            host.check_datagram(size + udp.HEADER, self.mtu)

    def _check_tested(self, flow: FlowSpec, address: str) -> None:
        """A tester has no protocols: it sends datagrams of one frame each, and so do others to it unless the path's MTU
        is smaller."""
        if not isinstance(flow, DatagramsSpec):
            text = f'"{flow.kind}" is not allowed from or to a tester; allowed: datagrams'
            raise ScenarioError(text, address=f"{address}.kind")
        most = self.mtu - ip.HEADER - udp.HEADER
        if flow.size > most:
            text = f"{flow.size} bytes don't fit into one frame, and testers handle no fragments; allowed: 1 to {most}"
            raise ScenarioError(text, address=f"{address}.size")

    def _reached(self, sender: str) -> str:
        hops = self.hops()
        others = [one for one in (*self.computers, *self.testers) if one != sender and self.between(hops, sender, one)]
        return ", ".join(others) or "none (no other host can be reached)"

    @property
    def each(self) -> dict[str, FlowSpec]:
        """The flows by their names."""
        return by_name(self.flows, FlowSpec)  # type: ignore[type-abstract]

    def ends_of(self, flow: FlowSpec) -> tuple[ComputerSpec, ComputerSpec]:
        """The flow's hosts, with the TCP options of a connection that its sender opens."""
        sender, receiver = (self.computers[name] for name in (flow.sender, flow.receiver))
        return sender, receiver.answering(sender)

    def routes(self) -> dict[str, tuple[Route, Route] | None]:
        """The route of each flow, there and back."""
        hops = self.hops()
        return {name: self.between(hops, flow.sender, flow.receiver) for name, flow in self.each.items()}

    def peer(self, host: str, other: str, port: int) -> int:
        """The number of the `other` host among a host's peers: with a bond they are counted in the order of flows,
        otherwise each port has its own peers."""
        if host in self.testers or self.computers[host].bond is None:
            return port
        pairs = [(flow.sender, flow.receiver) for flow in self.each.values()]
        peers = dict.fromkeys(far if near == host else near for near, far in pairs if host in (near, far))
        return [*peers].index(other)

    def lanes(self, hops: Hops, hop: Hop, route: Route) -> Lanes:
        """The links that frames on a `route` take for one `hop`: several if a bond sends, or a switch sends to a
        bond."""
        near, far = route.hops[0].near, route.hops[-1].far
        own = self.computers.get(hop.near.name)
        if own is not None and own.bond is not None:
            return lanes(hops, hop, self.computers, own.bond.policy, self.peer(near.name, far.name, 0))
        there = self.computers.get(hop.far.name)
        if there is None or there.bond is None:
            return [(1.0, hop)]
        switch = self.devices[hop.near.name]
        return lanes(hops, hop, self.computers, switch.trunk, self.peer(far.name, near.name, 0))

    def moments(self) -> dict[int, str]:
        """The times (ps, ascending) at which flows start and stop and links fail and recover, each with a text that
        names them."""
        found: dict[int, list[str]] = {}
        for name, flow in self.each.items():
            if flow.start:
                found.setdefault(flow.start, []).append(f"{name} starts")
            if flow.stop is not None and flow.stop < self.duration:
                found.setdefault(flow.stop, []).append(f"{name} stops")
        for time, what in link_moments(self.outages).items():
            found.setdefault(time, []).append(what)
        return {time: ", ".join(found[time]) for time in sorted(found)}

    @property
    def flow_pieces(self) -> dict[str, int]:
        return {name: flow.piece or self.ends_of(flow)[0].mss(self.mtu) for name, flow in self.each.items()}

    @property
    def label(self) -> str:
        return "flows"

    def bounds(self) -> Bounds:
        """Per byte of all flows together, in their fastest mix. The bounds do not say how a simulation divides
        contended resources: a single flow may get more than its share in this mix, but all flows together never exceed
        `limit`. `flow_bounds` gives the limit of each flow alone."""
        return network_bounds(self)

    def flow_bounds(self) -> dict[str, Bounds]:
        """The bounds of each flow, per byte, if it had the network to itself."""
        return flow_bounds(self)

    def build(self, env: Environment) -> FlowsRun:
        return FlowsRun(env, self)
