"""Frames that a host forwards, in clear or through tunnels: their demand on the host, and the least time that a frame
takes to pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from netsim.closed_form.load import Demand, Frames, Load, host_demand, on_the_wire
from netsim.closed_form.outline import frame
from netsim.closed_form.passage import Ports
from netsim.ethernet import Frame, Medium
from netsim.machine import Work
from netsim.stack import ComputerSpec, EspSpec
from netsim.stack.forwarding_costs import ForwardingCosts
from netsim.stack.tunnel_costs import TunnelCosts

if TYPE_CHECKING:
    from netsim.topology.network import Network
    from netsim.topology.routes import Route


class Carried(NamedTuple):
    """The `frames` on a leg of a route: the `plain` ones, or those that enclose them by `esp`, in the tunnel of this
    name."""

    plain: Frames
    frames: Frames
    esp: EspSpec | None = None
    tunnel: str = ""

    def only(self, place: int) -> Carried:
        """The first of them (0) or the last (-1)."""
        return self._replace(plain=[self.plain[place]], frames=[self.frames[place]])


def in_tunnels(test: Network, route: Route, frames: Frames) -> list[Carried]:
    """The frames on each successive leg of a route, for plain `frames`."""
    plain = on_the_wire(frames)
    found = [Carried(plain, plain) for _ in route.legs]
    for section in test.sections(route):
        gateway, esp = test.computers[route.legs[section.first].hops[0].near.name], section.tunnel.ipsec
        costs = TunnelCosts(gateway, esp, test.mtu, route.legs[section.first].ports[0])
        outer = [(count, frame(size)) for count, one in plain for size, _, _ in costs.frames(one.packet)]
        for number in range(section.first, section.last + 1):
            found[number] = Carried(plain, outer, esp, section.name)
    return found


def forwarded(
    host: ComputerSpec, name: str, by: Ports, onto: Medium, taken: Carried, sent: Carried, mtu: int
) -> Demand:
    """The times (ps) of a host's resources for frames `taken` in by the first of these ports and `sent` on by the
    other, `onto` a wire."""
    into, out = by
    load = Load()
    for count, work in _works(host, out, taken, sent, mtu):
        load.arrive(count, work, into, backlog=False)
    ports = range(max(by) + 1)
    arriving = [taken.frames if one == into else [] for one in ports]
    leaving = [sent.frames if one == out else [] for one in ports]
    return host_demand(host, name, onto, load, leaving, arriving)


def _works(host: ComputerSpec, out: int, taken: Carried, sent: Carried, mtu: int) -> list[tuple[float, Work]]:
    """The deferred work for the frames, and how often each is done."""
    if taken.tunnel == sent.tunnel:
        costs = ForwardingCosts(host, out)
        return [(count, costs.work(one.buffer)) for count, one in sent.frames]
    works: list[tuple[float, Work]] = []
    for count, one in sent.plain:
        if taken.esp is not None:
            works += [(count, work) for work in _opening(TunnelCosts(host, taken.esp, mtu, out), one)]
        works.append((count, _sending(host, out, sent, one, mtu)))
    return works


def _opening(costs: TunnelCosts, plain: Frame) -> list[Work]:
    """The works that receive and open the enclosing packet of a plain frame."""
    frames = costs.frames(plain.packet)
    nbytes = sum(size for _, size, _ in frames)
    whole = len(frames) == 1
    return [*[costs.fragment()] * (len(frames) - 1), costs.open(plain.packet, nbytes, whole=whole)]


def _sending(host: ComputerSpec, out: int, sent: Carried, plain: Frame, mtu: int) -> Work:
    """The work that sends a plain frame, enclosed or in clear."""
    if sent.esp is None:
        return ForwardingCosts(host, out).work(plain.buffer)
    costs = TunnelCosts(host, sent.esp, mtu, out)
    return costs.enclose(plain.packet, [frame(size).buffer for size, _, _ in costs.frames(plain.packet)])


def passing_time(host: ComputerSpec, by: Ports, from_: Medium, taken: Carried, sent: Carried, mtu: int) -> int:
    """The time (ps) from the last bit of a frame `taken` on one wire to the first bit of what is `sent` on the next, a
    frame or its fragments, with the host idle and its handler already running."""
    into, out = (host.ports()[number] for number in by)
    last, first = taken.frames[-1][1], sent.frames[0][1]
    driver = into.bill_take(host.bill(), last.buffer).work().total
    steps = 1 if taken.esp is None or taken.tunnel == sent.tunnel else 2  # it is opened first
    sent_on = sum(work.total for _, work in _works(host, by[1], taken, sent, mtu)[-steps:])
    store = into.adapter.behind(into.bus, from_, last, driver)
    return store + driver + sent_on + out.adapter.ahead(out.bus, first)
