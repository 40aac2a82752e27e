"""Ways through a network: from a host's port over links, segments and switches to another host's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from netsim.accounts import Resource
from netsim.ethernet import LinkSpec, SegmentSpec, SwitchSpec


class WireEnd(NamedTuple):
    """Where a wire ends: a host's `port` of that number, or a switch (None)."""

    name: str
    port: int | None = None

    def __str__(self) -> str:
        return self.name if self.port is None else f"{self.name}.{self.port}"


class Hop(NamedTuple):
    """A frame's way over one wire: `by` which link or segment, as the network calls it, from where and to where; what
    accounts call it; and ps that a signal takes. A switch behind it, if there is one, sends the frame once more."""

    by: str
    near: WireEnd
    far: WireEnd
    wire: Resource
    medium: LinkSpec | SegmentSpec
    distance: int
    switch: SwitchSpec | None

    def crossing(self, size: int) -> int:
        """ps from the first bit of a frame of `size` bytes until its last one is there, and may go on."""
        latency = self.switch.latency if self.switch is not None else 0
        return self.medium.sending_time(size) + self.distance + latency


Hops = Mapping[WireEnd, Sequence[Hop]]  # those that begin there


class Route(NamedTuple):
    """The hops from one host's port to another's, one after the other."""

    hops: tuple[Hop, ...]

    @property
    def ports(self) -> tuple[int, int]:
        """The numbers of the ports that it leaves by, and comes in by."""
        return self.hops[0].near.port or 0, self.hops[-1].far.port or 0

    def crossing(self, size: int) -> int:
        """ps from the first bit of a frame of `size` bytes until its last one is there, if it waits nowhere."""
        return sum(hop.crossing(size) for hop in self.hops)

    def behind(self, size: int) -> int:
        """ps of that behind its last bit."""
        return self.crossing(size) - self.hops[0].medium.sending_time(size)


def routes(hops: Hops, starts: Iterable[WireEnd], targets: Sequence[WireEnd]) -> tuple[Route, Route] | None:
    """There and back, from the first of `starts` from which one of the `targets` can be reached; None: from none."""
    for start in starts:
        there = _way(hops, start, targets)
        back = _way(hops, there[-1].far, [start]) if there else None
        if there and back:
            return Route(there), Route(back)
    return None


def _way(hops: Hops, start: WireEnd, targets: Sequence[WireEnd]) -> tuple[Hop, ...] | None:
    """There is one at the most, as switches form no loop. Hosts forward nothing."""
    came: dict[WireEnd, Hop | None] = {start: None}
    ends = [start]
    for end in ends:
        for hop in hops.get(end, ()):
            if hop.far in targets:
                return _back_to_start(came, hop)
            if hop.far.port is None and hop.far not in came:
                came[hop.far] = hop
                ends.append(hop.far)
    return None


def _back_to_start(came: Mapping[WireEnd, Hop | None], last: Hop) -> tuple[Hop, ...]:
    way = [last]
    while (hop := came[way[-1].near]) is not None:
        way.append(hop)
    return tuple(reversed(way))


def looping(hops: Hops) -> str | None:
    """A link that closes a loop of switches, if there is one."""
    group = {end: end for end in hops}

    def root(end: WireEnd) -> WireEnd:
        while group[end] != end:
            end = group[end]
        return end

    seen = set()
    for one in (hop for own in hops.values() for hop in own if hop.near.port is None and hop.far.port is None):
        if one.by in seen:
            continue
        seen.add(one.by)
        near, far = root(one.near), root(one.far)
        if near == far:
            return one.by
        group[near] = far
    return None
