"""Bonds in a network: all of a host's links lead to one neighbour, a switch or another host with a bond, and the
sending end chooses the link of each frame."""

from __future__ import annotations

from collections.abc import Mapping

from netsim.errors import ScenarioError
from netsim.ethernet import SegmentSpec
from netsim.stack import ComputerSpec
from netsim.stack.bonding_spec import shares
from netsim.topology.routes import Hop, Hops, Route, WireEnd

Lanes = list[tuple[float, Hop]]  # each with the share of frames that take it


def parallel(hops: Hops, hop: Hop, hosts: Mapping[str, ComputerSpec]) -> list[Hop]:
    """The hops over all links of the bond that `hop` belongs to, in the order of the bond's ports; only `hop` if
    neither end has a bond."""
    bonded = [name for name in (hop.near.name, hop.far.name) if name in hosts and hosts[name].bond is not None]
    if not bonded:
        return [hop]
    ends = hop.near.name, hop.far.name
    found = [one for own in hops.values() for one in own if (one.near.name, one.far.name) == ends]
    at_near = bonded[0] == hop.near.name
    return sorted(found, key=lambda one: one.near.port or 0 if at_near else one.far.port or 0)


def lanes(hops: Hops, hop: Hop, hosts: Mapping[str, ComputerSpec], policy: str, number: int) -> Lanes:
    """The links for frames of the conversation with this `number`: all links in turn, or one link per conversation."""
    ways = parallel(hops, hop, hosts)
    return [(share, ways[port]) for share, port in shares(policy, len(ways), number)]


def spread(out: Lanes, into: Lanes, route: Route) -> list[tuple[float, tuple[int, int]]]:
    """The pairs of ports by which frames leave and arrive, each with its share of the frames: the two ends of one wire,
    or any combination if the parts in between distribute the frames again."""
    if len(route.hops) == 1:
        return [(share, (hop.near.port or 0, hop.far.port or 0)) for share, hop in out]
    return [
        (one * other, (first.near.port or 0, last.far.port or 0)) for one, first in out for other, last in into
    ]


def check_bond(name: str, host: ComputerSpec, hops: Hops, hosts: Mapping[str, ComputerSpec]) -> None:
    """Check that all ports of a bond have equal links to one neighbour that can be at its other end. Raises
    ScenarioError."""
    address = f"hosts.{name}.bond"
    if host.forwards is not None:
        text = "a host that forwards can't have a bond, because a bond takes all of its ports"
        raise ScenarioError(f"{text}; allowed here: none", address=address)
    ends = [WireEnd(name, port) for port in range(len(host.ports()))]
    if free := [str(end) for end in ends if not hops.get(end)]:
        raise ScenarioError(f"{free[0]} has no link; allowed: a link at each port", address=address)
    first = hops[ends[0]][0]
    for one in (hops[end][0] for end in ends):
        if isinstance(one.medium, SegmentSpec):
            text = f"{one.by} is a segment; allowed: links to a switch or to another host with a bond"
            raise ScenarioError(text, address=address)
        if one.far.name != first.far.name or one.medium != first.medium:
            text = f"{one.by} differs from {first.by}; allowed: identical links, all to the same neighbour"
            raise ScenarioError(text, address=address)
    _check_neighbour(name, host, first, hosts)


def _check_neighbour(name: str, host: ComputerSpec, hop: Hop, hosts: Mapping[str, ComputerSpec]) -> None:
    other = hosts.get(hop.far.name)
    if hop.switch is None and (other is None or other.bond is None or len(other.ports()) != len(host.ports())):
        text = f"{hop.far.name}, at the other end, has no bond with the same number of ports"
        raise ScenarioError(f"{text}; allowed: a switch, or a host with such a bond", address=f"hosts.{name}.bond")
