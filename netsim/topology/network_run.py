"""A network in a running simulation: computers, switches and wires, and the accounts of all."""

from __future__ import annotations

from typing import Any

from netsim.accounts import Resource
from netsim.accounts.resource import SEGMENT
from netsim.engine import Environment, Transactions
from netsim.ethernet import Link, Segment, Switch, SwitchPort, Trunk
from netsim.scenario import Run
from netsim.stack import Computer
from netsim.topology.ledger import Ledger
from netsim.topology.network import Network
from netsim.topology.outages import LinkOutage, tell
from netsim.topology.routes import Route, WireEnd
from netsim.topology.stations import join, position
from netsim.topology.tester import Tester
from netsim.topology.tunnel_spec import Section
from netsim.topology.wire_spec import CableSpec


class NetworkRun(Run):
    """The parts, wired together."""

    def __init__(self, env: Environment, test: Network, transactions: Transactions) -> None:
        self.env = env
        self._test = test
        self.computers = {
            name: env.part(Computer)(env, spec, name, shared=test.on_segments(name))
            for name, spec in test.computers.items()
        }
        self.testers = {name: env.part(Tester)(env, name) for name in test.testers}
        self._switches = {name: Switch(env, spec, name) for name, spec in test.devices.items()}
        self._outlets: dict[tuple[str, str], SwitchPort] = {}  # the ports of switches, by switch and link
        self.segments = {f"segments.{name}": self._shared(test, name) for name in test.shared}
        by_end = {(hop.by, hop.near): hop.wire for hops in test.hops().values() for hop in hops}
        self._cables = {name: self._cabled(test, name, cable, by_end) for name, cable in test.cables.items()}
        links = [link for both in self._cables.values() for link in both]
        wires: list[Link | Segment] = [*links, *self.segments.values()]
        self._trunks = {name: self._trunk(test, name) for name, host in test.computers.items() if host.bond is not None}
        for outage in test.outages:
            self._fail(test, outage)
        self.ledger = Ledger(env, self.computers, wires, [*self._switches.values()], transactions)

    def _cabled(
        self, test: Network, name: str, cable: CableSpec, by_end: dict[tuple[str, WireEnd], Resource]
    ) -> list[Link]:
        """Make both directions of a link."""
        by, (near, far) = f"links.{name}", test.ends(cable.ends)
        there, back = (self.env.part(Link)(self.env, cable.link, by_end[by, end]) for end in (near, far))
        self._plug(by, near, far, there, back)
        self._plug(by, far, near, back, there)
        return [there, back]

    def _plug(self, by: str, end: WireEnd, neighbour: WireEnd, out: Link, into: Link) -> None:
        if end.name in self.testers:
            self.testers[end.name].plug(out, into)
        elif end.port is not None:
            self.computers[end.name].plug(end.port, out, into)
        else:
            self._outlets[end.name, by] = self._switches[end.name].plug(str(neighbour), into, out)

    def _trunk(self, test: Network, host: str) -> Trunk | None:
        """The ports of a switch that lead to a host with a bond, if a switch is at the other end."""
        hops = [test.hops()[WireEnd(host, port)][0] for port in range(len(test.computers[host].ports()))]
        if hops[0].switch is None:
            return None
        return Trunk([self._outlets[hop.far.name, hop.by] for hop in hops], hops[0].switch.trunk)

    def _fail(self, test: Network, outage: LinkOutage) -> None:
        """Schedule the failure and the recovery of a link; bonds and the switch of a trunk notice them some time
        later."""
        for link in self._cables[outage.link]:
            link.fail(outage.at, outage.until)
        for end in test.ends(test.cables[outage.link].ends):
            bond = self.computers[end.name].bond if end.name in self.computers else None
            if bond is None or end.port is None:
                continue
            tell(self.env, bond, end.port, outage, bond.spec.detection)
            if trunk := self._trunks[end.name]:
                (hop,) = test.hops()[end]
                assert hop.switch is not None
                tell(self.env, trunk, end.port, outage, hop.switch.link_detection)

    def _shared(self, test: Network, name: str) -> Segment:
        spec = test.shared[name]
        segment = self.env.part(Segment)(self.env, spec.segment, Resource(name, SEGMENT))
        for place, end in enumerate(test.ends(spec.stations)):
            where = position(spec.segment, spec.spacing, place)
            join(segment, self.computers[end.name], where, end.port or 0)
        return segment

    def learn(self, address: Any, route: Route, conversation: int = 0) -> None:
        """Let frames whose `port` is `address` take this route: all forwarding hosts, switches and shared wires on it
        learn the address. In a tunnel frames carry the tunnel's address. For the receiving host they
        belong to the `conversation` of this number."""
        inside = {number: one for one in self._test.sections(route) for number in range(one.first, one.last + 1)}
        for number, leg in enumerate(route.legs):
            section, near = inside.get(number), leg.hops[0].near
            carried = address if section is None else section.address
            if section is not None and number == section.first:
                self._enclose(address, section, leg)
            elif number:
                self.computers[near.name].forward(carried, near.port or 0)
            if section is not None and number == section.last:
                opener = self.computers[leg.hops[-1].far.name]
                opener.open(carried, section.tunnel.ipsec, self._test.mtu)
            self._learn_leg(carried, leg, conversation)

    def _enclose(self, address: Any, section: Section, leg: Route) -> None:
        """Let the host where a leg begins enclose frames of this address."""
        near = leg.hops[0].near
        gateway = self.computers[near.name]
        gateway.enclose(address, near.port or 0, section.address, section.tunnel.ipsec, self._test.mtu)

    def _learn_leg(self, address: Any, leg: Route, number: int) -> None:
        """Let switches and shared wires between two hosts learn the address."""
        for hop in leg.hops:
            if hop.near.port is None:
                trunk = self._trunks.get(hop.far.name)
                outlet = self._outlets[hop.near.name, hop.by] if trunk is None else trunk.conversation(number)
                self._switches[hop.near.name].learn(address, outlet)
            if hop.by in self.segments:
                segment = self.segments[hop.by]
                segment.learn(address, segment.owner(hop.far.name))

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    @property
    def frames(self) -> int:
        return self.ledger.frames
