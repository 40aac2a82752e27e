"""The closed form of flows in a network: per byte, the least time of every resource on each one's way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import LATENCY, OFFERED
from netsim.closed_form.bursts import quickest
from netsim.closed_form.forwarded import forwarded, in_tunnels, passing_time
from netsim.closed_form.load import Demand, Frames, Load, acknowledge, carry, host_demand, on_the_wire
from netsim.closed_form.outline import frame, least_packet
from netsim.closed_form.parts import added, fastest
from netsim.closed_form.passage import Ports, tcp_ack, tcp_data
from netsim.closed_form.request import InFrames, over_tcp, over_udp
from netsim.closed_form.way import Way
from netsim.ethernet.frame_sizes import frame_size
from netsim.stack import ComputerSpec, ip, udp
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
        flow, hosts = test.each[name], test.computers
        if {flow.sender, flow.receiver} <= {*hosts}:
            between = _Between(flow, *test.ends_of(flow), *ways, test)
            nbytes, demand = _KINDS[type(flow)](flow, name, between)
        else:
            assert isinstance(flow, DatagramsSpec)
            nbytes, demand = flow.size, _tested(flow, name, test, *ways)
        found[name] = added([(1 / nbytes, demand)])
    return found


class _Between(NamedTuple):
    """Both hosts of a flow, and its way there and back, perhaps over others of the network."""

    flow: FlowSpec
    near: ComputerSpec
    far: ComputerSpec
    there: Route
    back: Route
    test: Flows

    @property
    def mtu(self) -> int:
        """As TCP has been told."""
        return self.test.path_mtu(self.there, self.back)

    @property
    def ports(self) -> Ports:
        return self.there.ports

    def message(self, nbytes: int, over: str, outstanding: int, *, response: bool = False) -> InFrames:
        """One to the receiver, or back."""
        near, far, ports = self.near, self.far, self.there.ports
        if response:
            near, far, ports = far, near, self.back.ports
        if over == "udp":
            return over_udp(near, far, nbytes, near.datagram_mtu(self.test.mtu, self.mtu), ports)
        return over_tcp(near, far, nbytes, self.mtu, outstanding, ports)

    def demand(self, sends: Load, takes: Load, out: Frames, back: Frames) -> Demand:
        """Of the wires, both hosts and all between, with the frames `out` and `back`."""
        ways = _on_the_way(self.test, self.there, out), _on_the_way(self.test, self.back, back)
        near = _host(self.near, self.flow.sender, sends, self.there, out, back)
        far = _host(self.far, self.flow.receiver, takes, self.back, back, out)
        return added((1, one) for one in (*ways, near, far))


def _host(host: ComputerSpec, name: str, load: Load, by: Route, out: Frames, into: Frames) -> Demand:
    """Of one at the end of a route."""
    before: list[Frames] = [[] for _ in range(by.ports[0])]
    return host_demand(host, name, quickest(by.hops[0].medium), load, [*before, out], [*before, into])


def _on_the_way(test: Flows, route: Route, frames: Frames) -> Demand:
    """Of the wires of a route, and of the hosts that forward."""
    parts: list[tuple[float, Demand]] = []
    carried = in_tunnels(test, route, frames)
    for leg, own in zip(route.legs, carried, strict=True):
        for hop in leg.hops:
            medium = quickest(hop.medium)
            time = total(count * medium.frame_time(one.size) for count, one in on_the_wire(own.frames))
            parts.append((1, {hop.wire: time}))
    for (before, behind), (taken, sent) in zip(pairwise(route.legs), pairwise(carried), strict=True):
        name, ports = behind.hops[0].near.name, (before.ports[1], behind.ports[0])
        onto = quickest(behind.hops[0].medium)
        parts.append((1, forwarded(test.computers[name], name, ports, onto, taken, sent, test.mtu)))
    return added(parts)


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
    return flow.size, between.demand(sends, takes, out, []) | _paced(flow, name)


def _tested(flow: DatagramsSpec, name: str, test: Flows, there: Route, back: Route) -> Demand:
    """One from or to a tester, which is as fast as its wire."""
    hosts, sends, takes = test.computers, Load(), Load()
    packet = ip.HEADER + udp.HEADER + flow.size
    out: Frames = [(1, frame(frame_size(packet), packet=packet))]
    parts = [_paced(flow, name), _on_the_way(test, there, out)]
    host = hosts.get(flow.sender) or hosts.get(flow.receiver)
    if host is not None:
        over_udp(host, host, flow.size, test.mtu, there.ports).carried(sends, takes, there.ports[1], backlog=False)
        sent = flow.sender in hosts
        parts.append(
            _host(host, flow.sender, sends, there, out, []) if sent else
            _host(host, flow.receiver, takes, back, [], out)
        )  # fmt: skip
    return added((1, one) for one in parts)


def _paced(flow: DatagramsSpec, name: str) -> Demand:
    return {Resource(name, OFFERED): flow.size * 8 * PS_PER_S / flow.offered} if flow.offered else {}


def _requests(flow: RequestsSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """A transaction; and what one takes that has everything to itself, by how many are under way."""
    (out, into), tcp = between.ports, flow.over == "tcp"
    near, far = between.near, between.far
    there = between.message(flow.request, flow.over, flow.outstanding)
    back = between.message(flow.response, flow.over, flow.outstanding, response=True)
    client, server = Load(), Load()
    asked = there.carried(client, server, into, backlog=tcp and far.system.tcp.backlog)
    answered = back.carried(server, client, out, backlog=tcp and near.system.tcp.backlog)
    ways = _RouteWay(near, far, between.there, between.test), _RouteWay(far, near, between.back, between.test)
    alone = there.least(ways[0]) + back.least(ways[1])
    latency = max(flow.think, (alone + flow.think) / flow.outstanding)
    demand = between.demand(client, server, asked, answered) | {Resource(name, LATENCY): latency}
    return flow.request + flow.response, demand


class _RouteWay(Way):
    """Over several wires. Frames that follow each other do so on the last one, too."""

    def __init__(self, near: ComputerSpec, far: ComputerSpec, route: Route, test: Flows) -> None:
        super().__init__(near, far, route.hops[-1].medium, 0, ports=route.ports)
        self._route, self._test = route, test

    def cabled(self, size: int) -> int:
        """ps from a frame's first bit until its last has come in at the other end. Of what is cut for a tunnel only the
        last frame counts."""
        test, legs = self._test, self._route.legs
        carried = in_tunnels(test, self._route, [(1, frame(size, packet=least_packet(size)))])
        passing = sum(leg.crossing(own.frames[-1][1].size) for leg, own in zip(legs, carried, strict=True))
        for (before, behind), (taken, sent) in zip(pairwise(legs), pairwise(carried), strict=True):
            ports, last = (before.ports[1], behind.ports[0]), before.hops[-1]
            passing += passing_time(test.computers[last.far.name], ports, last.medium, taken, sent, test.mtu)
        return passing


_KINDS: dict[type[FlowSpec], Callable[[Any, str, _Between], tuple[int, Demand]]] = {
    StreamSpec: _stream,
    DatagramsSpec: _datagrams,
    RequestsSpec: _requests,
}
