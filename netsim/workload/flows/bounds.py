"""The closed form of flows in a network: per byte, the least time of every resource on each one's way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import LATENCY, OFFERED
from netsim.closed_form.bursts import quickest
from netsim.closed_form.load import Demand, Frames, Load, acknowledge, carry, host_demand, on_the_wire
from netsim.closed_form.parts import added, fastest
from netsim.closed_form.passage import Ports, tcp_ack, tcp_data
from netsim.closed_form.request import InFrames, over_tcp, over_udp
from netsim.closed_form.way import Way
from netsim.stack import ComputerSpec
from netsim.stack.large_send import at_once
from netsim.stack.tcp_costs import TcpCosts
from netsim.topology.routes import Route
from netsim.units import PS_PER_S, total
from netsim.workload.flows.flow_spec import DatagramsSpec, FlowSpec, RequestsSpec, StreamSpec

if TYPE_CHECKING:
    from netsim.workload.flows.tool import Flows


def network_bounds(test: Flows) -> Bounds:
    """Per byte of all flows together, mixed so that the whole is fastest."""
    flows = list(_demands(test).values())
    return Bounds(added(zip(fastest(flows, [1] * len(flows)), flows, strict=True)), 1)


def flow_bounds(test: Flows) -> dict[str, Bounds]:
    """Per byte of each flow."""
    return {name: Bounds(demand, 1) for name, demand in _demands(test).items()}


def _demands(test: Flows) -> dict[str, Demand]:
    found = {}
    for name, ways in test.routes().items():
        assert ways is not None
        flow = test.each[name]
        between = _Between(flow, *test.ends_of(flow), *ways, test.mtu)
        nbytes, demand = _KINDS[type(flow)](flow, name, between)
        found[name] = added([(1 / nbytes, demand)])
    return found


class _Between(NamedTuple):
    """Both hosts of a flow, and its way there and back."""

    flow: FlowSpec
    near: ComputerSpec
    far: ComputerSpec
    there: Route
    back: Route
    mtu: int

    @property
    def ports(self) -> Ports:
        return self.there.ports

    def message(self, nbytes: int, over: str, outstanding: int, *, response: bool = False) -> InFrames:
        """One to the receiver, or back."""
        near, far, ports = self.near, self.far, self.there.ports
        if response:
            near, far, ports = far, near, self.back.ports
        if over == "udp":
            return over_udp(near, far, nbytes, self.mtu, ports)
        return over_tcp(near, far, nbytes, self.mtu, outstanding, ports)

    def demand(self, sends: Load, takes: Load, out: Frames, back: Frames) -> Demand:
        """Of the wires and both hosts, with the frames `out` and `back`."""
        wires: Demand = {}
        for route, frames in ((self.there, out), (self.back, back)):
            for hop in route.hops:
                medium = quickest(hop.medium)
                time = total(count * medium.frame_time(frame.size) for count, frame in on_the_wire(frames))
                wires[hop.wire] = wires.get(hop.wire, 0.0) + time
        near = self._host(self.near, self.flow.sender, sends, self.there, out, back)
        return wires | near | self._host(self.far, self.flow.receiver, takes, self.back, back, out)

    def _host(self, host: ComputerSpec, name: str, load: Load, by: Route, out: Frames, into: Frames) -> Demand:
        before: list[Frames] = [[] for _ in range(by.ports[0])]
        return host_demand(host, name, quickest(by.hops[0].medium), load, [*before, out], [*before, into])


def _stream(flow: StreamSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """Full segments, as many at once as the card cuts, with their shares of an acknowledgement."""
    near, far, ports = between.near, between.far, between.ports
    sending, taking = ends = TcpCosts(near), TcpCosts(far)
    length = near.mss(between.mtu)
    segments = at_once(near.large_send(ports[0]), length)
    acks = length / taking.spec.unacknowledged(length)
    sends, takes = Load(), Load()
    data = tcp_data(sending, taking, length, segments, ports)
    carry(sends, takes, 1 / segments, data, ports[1], taking.spec.backlog, segments)
    acknowledge(sends, takes, acks, ends, ports, ports[1])
    ack = tcp_ack(sending, taking, ports).frame
    return length, between.demand(sends, takes, [(1 / segments, data.frame)], [(acks, ack)])


def _datagrams(flow: DatagramsSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """One, as often as it is offered."""
    sends, takes = Load(), Load()
    message = between.message(flow.size, "udp", 1)
    out = message.carried(sends, takes, between.ports[1], backlog=False)
    paced = {Resource(name, OFFERED): flow.size * 8 * PS_PER_S / flow.offered} if flow.offered else {}
    return flow.size, between.demand(sends, takes, out, []) | paced


def _requests(flow: RequestsSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """A transaction; and what one takes that has everything to itself, by how many are under way."""
    (out, into), tcp = between.ports, flow.over == "tcp"
    near, far = between.near, between.far
    there = between.message(flow.request, flow.over, flow.outstanding)
    back = between.message(flow.response, flow.over, flow.outstanding, response=True)
    client, server = Load(), Load()
    asked = there.carried(client, server, into, backlog=tcp and far.system.tcp.backlog)
    answered = back.carried(server, client, out, backlog=tcp and near.system.tcp.backlog)
    alone = there.least(_RouteWay(near, far, between.there)) + back.least(_RouteWay(far, near, between.back))
    latency = max(flow.think, (alone + flow.think) / flow.outstanding)
    demand = between.demand(client, server, asked, answered) | {Resource(name, LATENCY): latency}
    return flow.request + flow.response, demand


class _RouteWay(Way):
    """Over several wires. Frames that follow each other do so on the last one, too."""

    def __init__(self, near: ComputerSpec, far: ComputerSpec, route: Route) -> None:
        super().__init__(near, far, route.hops[-1].medium, 0, ports=route.ports)
        self._route = route

    def cabled(self, size: int) -> int:
        """ps from a frame's first bit until its last has come in at the other end."""
        return self._route.crossing(size)


_KINDS: dict[type[FlowSpec], Callable[[Any, str, _Between], tuple[int, Demand]]] = {
    StreamSpec: _stream,
    DatagramsSpec: _datagrams,
    RequestsSpec: _requests,
}
