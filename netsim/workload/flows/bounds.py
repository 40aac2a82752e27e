"""The closed form of flows in a network: per byte, the least time of every resource on each flow's path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import LATENCY, OFFERED
from netsim.closed_form.bursts import quickest
from netsim.closed_form.forwarded import forwarded, in_tunnels
from netsim.closed_form.load import Demand, Frames, Load, acknowledge, carry, host_demand, on_the_wire
from netsim.closed_form.outline import frame
from netsim.closed_form.parts import added, fastest
from netsim.closed_form.passage import Ports, tcp_ack, tcp_data
from netsim.closed_form.request import InFrames, over_tcp, over_udp
from netsim.closed_form.route_way import RouteWay
from netsim.ethernet.frame_sizes import frame_size
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.tcp_costs import TcpCosts, segments_at_once
from netsim.topology.bonded import spread
from netsim.topology.routes import Route
from netsim.units import PS_PER_S, total
from netsim.workload.flows.flow_spec import DatagramsSpec, FlowSpec, RequestsSpec, StreamSpec

if TYPE_CHECKING:
    from netsim.workload.flows.tool import Flows


def network_bounds(test: Flows) -> Bounds:
    """Per byte of all flows together, in the mix with the highest total throughput."""
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
    """Both hosts of a flow, and its path there and back, which may lead through other hosts of the network."""

    flow: FlowSpec
    near: ComputerSpec
    far: ComputerSpec
    there: Route
    back: Route
    test: Flows

    @property
    def mtu(self) -> int:
        """The path MTU (bytes) that TCP uses."""
        return self.test.path_mtu(self.there, self.back)

    def paths(self, *, back: bool = False) -> list[tuple[float, Ports]]:
        """The ports at both ends of its path there, or back, each pair with its share of frames."""
        route, hops = self.back if back else self.there, self.test.hops()
        out, into = (self.test.lanes(hops, hop, route) for hop in (route.hops[0], route.hops[-1]))
        return spread(out, into, route)

    def message(
        self, nbytes: int, over: str, outstanding: int, ports: Ports, *, response: bool = False
    ) -> InFrames:
        """A message to the receiver, or back, through these ports."""
        near, far = (self.far, self.near) if response else (self.near, self.far)
        if over == "udp":
            return over_udp(near, far, nbytes, near.datagram_mtu(self.test.mtu, self.mtu), ports)
        return over_tcp(near, far, nbytes, self.mtu, outstanding, ports)

    def demand(self, sends: Load, takes: Load, out: Frames, back: Frames) -> Demand:
        """The demand on the wires, both hosts and everything between them, with the frames `out` and `back`."""
        ways = _on_the_way(self.test, self.there, out), _on_the_way(self.test, self.back, back)
        leave, arrive = (_by_port(out, self.paths(), at) for at in (0, 1))
        return_, end = (_by_port(back, self.paths(back=True), at) for at in (0, 1))
        near = _host(self.near, self.flow.sender, sends, self.there, leave, end)
        far = _host(self.far, self.flow.receiver, takes, self.back, return_, arrive)
        return added((1, one) for one in (*ways, near, far))


def _by_port(frames: Frames, paths: list[tuple[float, Ports]], end: int) -> list[Frames]:
    """The frames through each port at one end of these paths."""
    found: list[Frames] = [[] for _ in range(1 + max(ports[end] for _, ports in paths))]
    for share, ports in paths:
        found[ports[end]] += [(share * count, one) for count, one in frames]
    return found


def _host(
    host: ComputerSpec, name: str, load: Load, by: Route, out: Sequence[Frames], into: Sequence[Frames]
) -> Demand:
    """The demand on a host at the end of a route, with frames by its ports."""
    most = max(len(out), len(into))
    filled = ([*one, *([[]] * (most - len(one)))] for one in (out, into))
    return host_demand(host, name, quickest(by.hops[0].medium), load, *filled)


def _on_the_way(test: Flows, route: Route, frames: Frames) -> Demand:
    """The demand on the wires of a route and on the hosts that forward."""
    parts: list[tuple[float, Demand]] = []
    carried, hops = in_tunnels(test, route, frames), test.hops()
    for leg, own in zip(route.legs, carried, strict=True):
        for hop in leg.hops:
            medium = quickest(hop.medium)
            time = total(count * medium.frame_time(one.size) for count, one in on_the_wire(own.frames))
            parts += [(share, {lane.wire: time}) for share, lane in test.lanes(hops, hop, route)]
    for (before, behind), (taken, sent) in zip(pairwise(route.legs), pairwise(carried), strict=True):
        name, ports = behind.hops[0].near.name, (before.ports[1], behind.ports[0])
        onto = quickest(behind.hops[0].medium)
        parts.append((1, forwarded(test.computers[name], name, ports, onto, taken, sent, test.mtu)))
    return added(parts)


def _stream(flow: StreamSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """The bytes and the demand of a full segment, one of as many as the card can cut at once, with its share of an
    acknowledgement."""
    near, far = between.near, between.far
    sending, taking = ends = TcpCosts(near, through=between.there.ports[0]), TcpCosts(far)
    length = near.mss(between.mtu)
    segments = segments_at_once(near.large_send(between.there.ports[0]), length)
    acks = length / taking.spec.unacknowledged(length)
    sends, takes = Load(), Load()
    out: Frames = []
    back: Frames = []
    for share, ports in between.paths():
        data = tcp_data(sending, taking, length, segments, ports)
        carry(sends, takes, share / segments, data, ports[1], taking.spec.backlog, segments)
        out.append((share / segments, data.frame))
        for part, (leaves, comes) in between.paths(back=True):
            acknowledge(sends, takes, share * part * acks, ends, (comes, leaves), ports[1])
            back.append((share * part * acks, tcp_ack(sending, taking, (comes, leaves)).frame))
    return length, between.demand(sends, takes, out, back)


def _datagrams(flow: DatagramsSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """The bytes and the demand of a datagram, limited by the offered rate."""
    sends, takes = Load(), Load()
    out: Frames = []
    for share, ports in between.paths():
        message = between.message(flow.size, "udp", 1, ports)
        out += message.carried(sends, takes, ports[1], backlog=False, share=share)
    return flow.size, between.demand(sends, takes, out, []) | _paced(flow, name)


def _tested(flow: DatagramsSpec, name: str, test: Flows, there: Route, back: Route) -> Demand:
    """The demand of a datagram from or to a tester, which is as fast as its wire. Only a host cuts datagrams to the
    MTU of the path."""
    packet, sends, takes = ip.HEADER + udp.HEADER + flow.size, Load(), Load()
    out: Frames = [(1, frame(frame_size(packet), packet=packet))]
    parts = [_paced(flow, name)]
    sent = flow.sender in test.computers
    own = flow.sender if sent else flow.receiver
    if (host := test.computers.get(own)) is not None:
        mtu = host.datagram_mtu(test.mtu, test.path_mtu(there, back)) if sent else test.mtu
        out = over_udp(host, host, flow.size, mtu, there.ports).carried(sends, takes, there.ports[1], backlog=False)
        at = _by_port(out, [(1, there.ports)], 0 if sent else 1)
        parts.append(_host(host, own, sends, there, at, []) if sent else _host(host, own, takes, back, [], at))
    return added((1, one) for one in (*parts, _on_the_way(test, there, out)))


def _paced(flow: DatagramsSpec, name: str) -> Demand:
    return {Resource(name, OFFERED): flow.size * 8 * PS_PER_S / flow.offered} if flow.offered else {}


def _requests(flow: RequestsSpec, name: str, between: _Between) -> tuple[int, Demand]:
    """The bytes and the demand of a transaction, including the time of a lone one divided by the number under way."""
    tcp, test, (near, far) = flow.over == "tcp", between.test, (between.near, between.far)
    client, server = Load(), Load()
    asked: Frames = []
    answered: Frames = []
    for share, ports in between.paths():
        request = between.message(flow.request, flow.over, flow.outstanding, ports)
        asked += request.carried(client, server, ports[1], backlog=tcp and far.system.tcp.backlog, share=share)
    for share, ports in between.paths(back=True):
        response = between.message(flow.response, flow.over, flow.outstanding, ports, response=True)
        answered += response.carried(server, client, ports[1], backlog=tcp and near.system.tcp.backlog, share=share)
    there = between.message(flow.request, flow.over, flow.outstanding, between.there.ports)
    back = between.message(flow.response, flow.over, flow.outstanding, between.back.ports, response=True)
    alone = there.least(RouteWay(near, far, between.there, test), len(between.paths()))
    alone += back.least(RouteWay(far, near, between.back, test), len(between.paths(back=True)))
    latency = max(flow.think, (alone + flow.think) / flow.outstanding)
    demand = between.demand(client, server, asked, answered) | {Resource(name, LATENCY): latency}
    return flow.request + flow.response, demand


_KINDS: dict[type[FlowSpec], Callable[[Any, str, _Between], tuple[int, Demand]]] = {
    StreamSpec: _stream,
    DatagramsSpec: _datagrams,
    RequestsSpec: _requests,
}
