"""A user-defined network: hosts, and the links, segments and switches between them, all by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import LINK, SEGMENT
from netsim.errors import ScenarioError, nearest, show
from netsim.ethernet import SwitchSpec
from netsim.ethernet.frame_sizes import frame_size
from netsim.nic import CardSpec
from netsim.scenario import Scenario
from netsim.spec import Spec
from netsim.spec.named_table import NAME, NamedTable, TableOf, by_name
from netsim.stack import ComputerSpec, EspSpec
from netsim.topology.bonded import check_bond
from netsim.topology.cabling import check_ipsec, check_linked, check_mtu, check_switch
from netsim.topology.outages import LinkOutage
from netsim.topology.routes import Hop, Hops, Route, WireEnd, looping, routes
from netsim.topology.stations import check_distances, check_frame, check_handed_over, check_joins, position
from netsim.topology.tunnel_spec import Section, TunnelSpec, check_pairs, check_tunnel, sections
from netsim.topology.wire_spec import CableSpec, SharedWireSpec
from netsim.units import Mtu

Hosts = Annotated[NamedTable, BeforeValidator(TableOf(ComputerSpec))]
Links = Annotated[NamedTable, BeforeValidator(TableOf(CableSpec))]
Segments = Annotated[NamedTable, BeforeValidator(TableOf(SharedWireSpec))]
Switches = Annotated[NamedTable, BeforeValidator(TableOf(SwitchSpec))]
Tunnels = Annotated[NamedTable, BeforeValidator(TableOf(TunnelSpec))]


def _none(kind: type[Spec]) -> Any:
    return Field(default_factory=lambda: TableOf(kind)({}))


@cache
def _protected(host: ComputerSpec, ipsec: EspSpec) -> ComputerSpec:
    """A host whose traffic `ipsec` protects; cached, because it is needed often. Raises ScenarioError if the host
    cannot do that."""
    return host.under(ipsec)


class Network(Scenario):
    """`hosts`, and the `links`, `segments` and `switches` between them, with user-defined names. `testers` are names of
    instruments, which take the place of hosts at the end of a link (RFC 2544, section 6): they send at the link's rate,
    receive everything, and have no processor. `mtu` is in bytes. Hosts protect all traffic by `ipsec` (None: in
    clear), or each of the `tunnels` protects, between its ends, the traffic that passes through both of them. Switches
    and bridging hosts must not form a loop. Links can fail (`outages`): traffic then moves to the other links of a
    bond, if there is one, but takes no other path."""

    hosts: Hosts
    links: Links = _none(CableSpec)
    segments: Segments = _none(SharedWireSpec)
    switches: Switches = _none(SwitchSpec)
    testers: tuple[str, ...] = ()
    tunnels: Tunnels = _none(TunnelSpec)
    outages: tuple[LinkOutage, ...] = ()
    mtu: Mtu = 1500
    ipsec: EspSpec | None = None

    # --- checks ------------------------------------------------------------------------------------------------------

    @model_validator(mode="after")
    def _wired(self) -> Self:
        """All ends exist and are free, all cards and switches support the wires that they are connected to, and no
        host, switch or tester is unconnected."""
        for name, host in by_name(self.hosts, ComputerSpec).items():
            if self.ipsec is not None and host.forwards is not None:
                text = "forwarded traffic can be protected only by tunnels; allowed with ipsec: none"
                raise ScenarioError(text, address=f"hosts.{name}.forwards")
            check_ipsec(f"hosts.{name}", host, self.ipsec, self.mtu)
        for name, host in self.computers.items():
            self._check_host(f"hosts.{name}", host)
        if both := [name for name in self.devices if name in self.computers]:
            raise ScenarioError("a host already has this name; allowed: any other", address=f"switches.{both[0]}")
        self._check_testers()
        for name, switch in self.devices.items():
            self._check_switch(f"switches.{name}", switch)
        used = self._ends()
        for name, cable in self.cables.items():
            self._check_link(name, cable)
        for name, shared in self.shared.items():
            self._check_segment(name, shared)
        idle = {name: f"hosts.{name}" for name in self.computers} | {name: f"switches.{name}" for name in self.devices}
        idle |= {name: f"testers.{number}" for number, name in enumerate(self.testers)}
        if alone := [address for name, address in idle.items() if name not in {end.name for end in used}]:
            raise ScenarioError("not connected; allowed: connected to a link or a segment", address=alone[0])
        hops = self.hops()
        for name, host in self.computers.items():
            if host.bond is not None:
                check_bond(name, host, hops, self.computers)
        check_pairs(self.enclosing)
        for name, tunnel in self.enclosing.items():
            check_tunnel(name, tunnel, self.computers, self.mtu)
        bridges = [name for name, host in self.computers.items() if host.forwards == "bridge"]
        if loop := looping(hops, bridges):
            text = "closes a loop of switches or bridges (spanning tree is not modelled)"
            raise ScenarioError(f"{text}; allowed: a single path between any two", address=loop)
        return self

    def _check_host(self, address: str, host: ComputerSpec) -> None:
        if not host.nics:
            raise ScenarioError("[] is not allowed; allowed: at least one adapter", address=f"{address}.nics")
        if host.ipsec != self.ipsec:
            raise ScenarioError("differs from the network's; allowed: none, or the same", address=f"{address}.ipsec")
        if host.offloads():
            text = "IPsec by the card is not modelled in a network of flows (security associations are not counted)"
            raise ScenarioError(f'{text}; allowed here: "host"', address=f"{address}.nics.0.driver.ipsec")

    def _check_testers(self) -> None:
        if self.testers and self.ipsec is not None:
            raise ScenarioError("testers send unprotected datagrams; allowed with ipsec: no testers", address="testers")
        for number, name in enumerate(self.testers):
            if not NAME.fullmatch(name):
                text = f"{show(name)} is not a name; allowed: a letter, then letters, digits, - and _"
                raise ScenarioError(text, address=f"testers.{number}")
            if name in (*self.computers, *self.devices, *self.testers[:number]):
                text = f"{show(name)} is already the name of something else; allowed: any other"
                raise ScenarioError(text, address=f"testers.{number}")

    def _check_switch(self, address: str, switch: SwitchSpec) -> None:
        try:
            check_switch(switch, self.mtu)
        except ScenarioError as error:
            raise ScenarioError(f"{error.problem}: {address}", address=error.address) from None

    def _ends(self) -> dict[WireEnd, str]:
        """All ends with their addresses. Raises ScenarioError for an end that does not exist, or a port that is used
        twice."""
        used: dict[WireEnd, str] = {}
        for address, text in self._named_ends():
            end = self._end(address, text)
            if end.port is not None and end in used:
                problem = f"{show(text)} is already used by {used[end]}{self._free(end, used)}"
                raise ScenarioError(problem, address=address)
            used[end] = address
        return used

    def _named_ends(self) -> Iterator[tuple[str, str]]:
        for name, cable in self.cables.items():
            yield from ((f"links.{name}.ends.{number}", end) for number, end in enumerate(cable.ends))
        for name, shared in self.shared.items():
            for number, station in enumerate(shared.stations):
                address = f"segments.{name}.stations.{number}"
                for kind, names in (("switch", self.devices), ("tester", self.testers)):
                    if station in names:
                        text = f"{show(station)} is a {kind}, which is full duplex and can't be on a segment"
                        raise ScenarioError(f"{text}; allowed: hosts", address=address)
                yield address, station

    def _free(self, end: WireEnd, used: Mapping[WireEnd, str]) -> str:
        if end.name in self.testers:
            return "; allowed: one link per tester"
        ports = [WireEnd(end.name, port) for port in range(len(self.computers[end.name].ports()))]
        return f"; allowed: {', '.join(str(one) for one in ports if one not in used) or 'no other port of this host'}"

    def _end(self, address: str, text: str) -> WireEnd:
        """The end that a text names. Raises ScenarioError."""
        name, dot, port = text.partition(".")
        if name in self.devices and not dot:
            return WireEnd(name)
        if name in self.testers and not dot:
            return WireEnd(name, 0)
        if name not in self.computers:
            known = [*self.computers, *self.devices, *self.testers]
            raise ScenarioError(f"no host or switch is called {show(name)}{nearest(name, known)}", address=address)
        ports = range(len(self.computers[name].ports()))
        allowed = ", ".join(f"{name}.{number}" for number in ports)
        if not dot and len(ports) > 1:
            raise ScenarioError(f"{show(text)} has {len(ports)} ports; allowed: {allowed}", address=address)
        if dot and not (port.isdecimal() and int(port) in ports):
            raise ScenarioError(f"{show(text)} is not a port; allowed: {allowed}", address=address)
        return WireEnd(name, int(port or 0))

    def _check_link(self, name: str, cable: CableSpec) -> None:
        near, far = self.ends(cable.ends)
        if near.name == far.name:
            text = f"both ends are {show(near.name)}; allowed: two different hosts or switches"
            raise ScenarioError(text, address=f"links.{name}.ends")
        try:
            check_mtu(self.mtu, cable.link)
            for end in (near, far):
                if end.name in self.computers:
                    check_linked(f"hosts.{end.name}", self.card(end), cable.link, self.mtu)
        except ScenarioError as error:
            raise _at(f"links.{name}", error) from None

    def _check_segment(self, name: str, shared: SharedWireSpec) -> None:
        ends, address = self.ends(shared.stations), f"segments.{name}"
        names = [end.name for end in ends]
        if len(names) < 2 or len({*names}) < len(names):
            text = f"{show(shared.stations)} is not allowed; allowed: two hosts or more, each once"
            raise ScenarioError(text, address=f"{address}.stations")
        try:
            for end in ends:
                check_joins(f"hosts.{end.name}", self.card(end), shared.segment)
                check_frame("mtu", self.mtu, frame_size(self.mtu), self.card(end), shared.segment)
            check_distances(shared.segment, shared.spacing, names)
        except ScenarioError as error:
            raise _at(address, error) from None
        for end in ends:
            check_handed_over(f"hosts.{end.name}", self.computers[end.name], [end.port or 0])

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def computers(self) -> dict[str, ComputerSpec]:
        """The hosts by their names."""
        hosts = by_name(self.hosts, ComputerSpec)
        if self.ipsec is None:
            return hosts
        return {name: _protected(host, self.ipsec) for name, host in hosts.items()}

    @property
    def cables(self) -> dict[str, CableSpec]:
        """The links by their names."""
        return by_name(self.links, CableSpec)

    @property
    def shared(self) -> dict[str, SharedWireSpec]:
        """The segments by their names."""
        return by_name(self.segments, SharedWireSpec)

    @property
    def devices(self) -> dict[str, SwitchSpec]:
        """The switches by their names."""
        return by_name(self.switches, SwitchSpec)

    @property
    def enclosing(self) -> dict[str, TunnelSpec]:
        """The tunnels by their names."""
        return by_name(self.tunnels, TunnelSpec)

    def sections(self, route: Route) -> list[Section]:
        """The sections of a route within tunnels. Raises ScenarioError if two tunnels overlap."""
        return sections(route, self.enclosing)

    def path_mtu(self, *ways: Route) -> int:
        """Bytes of the largest packet that passes these routes without fragmentation or an error report."""
        through = [(section.tunnel, section.tunnel.ends) for way in ways for section in self.sections(way)]
        return min([self.mtu, *(one.largest(self.computers[end], self.mtu) for one, ends in through for end in ends)])

    def card(self, end: WireEnd) -> CardSpec:
        """The adapter behind a host's port."""
        return self.computers[end.name].ports()[end.port or 0].adapter

    def ends(self, texts: tuple[str, ...]) -> list[WireEnd]:
        """The ends that the texts of a link or a segment name."""
        return [self._end("", text) for text in texts]

    def on_segments(self, host: str) -> frozenset[int]:
        """The host's ports that are on segments."""
        ends = [end for shared in self.shared.values() for end in self.ends(shared.stations)]
        return frozenset(end.port or 0 for end in ends if end.name == host)

    # --- routes ------------------------------------------------------------------------------------------------------

    def hops(self) -> Hops:
        """Every hop over one wire, by its starting end."""
        found: dict[WireEnd, list[Hop]] = {}
        for hop in (*self._over_links(), *self._over_segments()):
            found.setdefault(hop.near, []).append(hop)
        return found

    def _over_links(self) -> Iterator[Hop]:
        for name, cable in self.cables.items():
            one, other = self.ends(cable.ends)
            for near, far in ((one, other), (other, one)):
                wire = Resource(f"{name} to {far.name}", LINK)
                switch = self.devices.get(far.name)
                yield Hop(f"links.{name}", near, far, wire, cable.link, cable.link.delay, switch)

    def _over_segments(self) -> Iterator[Hop]:
        for name, shared in self.shared.items():
            wire, segment = Resource(name, SEGMENT), shared.segment
            placed = [(end, position(segment, shared.spacing, n)) for n, end in enumerate(self.ends(shared.stations))]
            for near, here in placed:
                for far, there in placed:
                    if far != near:
                        distance = segment.propagation(here, there)
                        yield Hop(f"segments.{name}", near, far, wire, segment, distance, None)

    def between(self, hops: Hops, near: str, far: str) -> tuple[Route, Route] | None:
        """The routes there and back between two hosts or testers, from the first port of `near` that leads to `far`,
        over the fewest wires; None: they are not connected."""
        starts, targets = ([end for end in hops if end.name == name] for name in (near, far))
        through = [name for name, host in self.computers.items() if host.forwards is not None]
        return routes(hops, sorted(starts), sorted(targets), through)


def _at(address: str, error: ScenarioError) -> ScenarioError:
    """An error about a wire, at the wire's address; errors about the MTU keep the scenario's address."""
    if error.address != "mtu":
        return error.at(address)
    return ScenarioError(f"{error.problem}: {address}", address="mtu")
