"""Tunnels through a network: IPsec between two forwarding hosts, for traffic that passes through both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from netsim.errors import ScenarioError, nearest, show
from netsim.spec import Spec
from netsim.stack import ComputerSpec, EspSpec
from netsim.topology.routes import Route

_LEAST_MTU = 68  # bytes: every network carries packets of this size without fragmentation (RFC 791, 3.2)


def _enclosing(esp: EspSpec) -> EspSpec:
    """The same in tunnel mode, the only mode of gateways (RFC 2401, 4.1)."""
    return esp if esp.mode == "tunnel" else esp.replace("mode", "tunnel")


class TunnelSpec(Spec):
    """A tunnel between two security gateways, hosts that forward IP, at its `ends`: traffic that passes through both is
    protected by `ipsec` in tunnel mode between them, and in clear elsewhere. Traffic that begins or ends at a gateway
    is not protected."""

    ends: tuple[str, str]
    ipsec: Annotated[EspSpec, AfterValidator(_enclosing)]

    def largest(self, gateway: ComputerSpec, mtu: int) -> int:
        """Bytes of the largest packet that `gateway` accepts for the tunnel without an error report. If a larger packet
        forbids fragmentation, the gateway reports the largest size to its sender (RFC 1191)."""
        costs = gateway.system.ipsec
        assert costs is not None
        return costs.largest(self.ipsec, mtu)


class Section(NamedTuple):
    """The legs of a route, from the `first` to the `last`, that are in a `tunnel`, whose packets carry the
    `address`."""

    name: str
    tunnel: TunnelSpec
    first: int
    last: int
    address: str


def sections(route: Route, tunnels: Mapping[str, TunnelSpec]) -> list[Section]:
    """The sections of a route within tunnels, in order. Raises ScenarioError if two tunnels overlap."""
    legs = route.legs
    found = []
    for (first, near), (behind, far) in combinations(_gateways(route), 2):
        for name, tunnel in tunnels.items():
            if {near, far} == {*tunnel.ends}:
                ends = legs[first].hops[0].near, legs[behind - 1].hops[-1].far
                found.append(Section(name, tunnel, first, behind - 1, f"{name} {ends[0]} to {ends[1]}"))
    for one, other in combinations(found, 2):
        if one.first <= other.last and other.first <= one.last:
            path = f"{route.hops[0].near.name} to {route.hops[-1].far.name}"
            text = f"tunnel {one.name} overlaps this one on the path from {path}"
            raise ScenarioError(f"{text}; allowed: consecutive tunnels", address=f"tunnels.{other.name}.ends")
    return sorted(found, key=lambda section: section.first)


def _gateways(route: Route) -> Iterator[tuple[int, str]]:
    """The hosts on a route, each with the number of the leg that begins there."""
    return ((number, leg.hops[0].near.name) for number, leg in enumerate(route.legs) if number)


def check_tunnel(name: str, tunnel: TunnelSpec, hosts: Mapping[str, ComputerSpec], mtu: int) -> None:
    """Check that its ends are two hosts that can be its gateways and leave room for data. Raises ScenarioError."""
    address = f"tunnels.{name}"
    if tunnel.ends[0] == tunnel.ends[1]:
        text = f"both ends are {show(tunnel.ends[0])}; allowed: two different hosts"
        raise ScenarioError(text, address=f"{address}.ends")
    for number, end in enumerate(tunnel.ends):
        if end not in hosts:
            text = f"no host is called {show(end)}{nearest(end, hosts)}"
            raise ScenarioError(text, address=f"{address}.ends.{number}")
        _check_gateway(end, hosts[end], tunnel, address)
        if tunnel.largest(hosts[end], mtu) < _LEAST_MTU:
            text = f"{mtu} bytes leave less than {_LEAST_MTU} bytes for packets inside {address}"
            raise ScenarioError(text, address="mtu")


def _check_gateway(name: str, host: ComputerSpec, tunnel: TunnelSpec, address: str) -> None:
    if host.forwards != "ip":
        text = f"{address} ends at this host, which must be a router"
        raise ScenarioError(f'{text}; allowed: "ip"', address=f"hosts.{name}.forwards")
    if host.system.ipsec is None:
        text = f"{address} ends at this host, whose system has no IPsec; allowed: add one"
        raise ScenarioError(f"{text} (freeswan-1.97)", address=f"hosts.{name}.system.ipsec")
    try:
        host.system.ipsec.check(tunnel.ipsec)
    except ScenarioError as error:
        raise error.at(address) from None


def check_pairs(tunnels: Mapping[str, TunnelSpec]) -> None:
    """Check that no two tunnels have the same ends. Raises ScenarioError."""
    for (name, one), (other, another) in combinations(tunnels.items(), 2):
        if {*one.ends} == {*another.ends}:
            text = f"tunnel {name} already connects these two hosts; allowed: one tunnel per pair of hosts"
            raise ScenarioError(text, address=f"tunnels.{other}.ends")
