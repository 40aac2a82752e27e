"""Routes through a network: from one host's port over links, segments, switches and forwarding hosts to another's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from netsim.accounts import Resource
from netsim.ethernet import LinkSpec, SegmentSpec, SwitchSpec


class WireEnd(NamedTuple):
    """The end of a wire: at a host's `port`, or at a switch (None)."""

    name: str
    port: int | None = None

    def __str__(self) -> str:
        return self.name if self.port is None else f"{self.name}.{self.port}"


class Hop(NamedTuple):
    """A frame's path over one wire: the link or segment (`by`, its name in the network), both ends, its name in
    accounts, and its propagation time (ps). A switch at the end, if there is one, sends the frame once more."""

    by: str
    near: WireEnd
    far: WireEnd
    wire: Resource
    medium: LinkSpec | SegmentSpec
    distance: int
    switch: SwitchSpec | None

    def crossing(self, size: int) -> int:
        """The time (ps) from the first bit of a frame of `size` bytes until its last bit has arrived and may
        continue."""
        latency = self.switch.latency if self.switch is not None else 0
        return self.medium.sending_time(size) + self.distance + latency


Hops = Mapping[WireEnd, Sequence[Hop]]  # by the end where they begin


class Route(NamedTuple):
    """The successive hops from one host's port to another's."""

    hops: tuple[Hop, ...]

    @property
    def ports(self) -> tuple[int, int]:
        """The numbers of its first and last ports."""
        return self.hops[0].near.port or 0, self.hops[-1].far.port or 0

    @property
    def legs(self) -> list[Route]:
        """Its parts, each from one host to the next."""
        starts = [place for place, hop in enumerate(self.hops) if hop.near.port is not None]
        return [Route(self.hops[start:end]) for start, end in zip(starts, [*starts[1:], None], strict=True)]


def routes(
    hops: Hops, starts: Iterable[WireEnd], targets: Sequence[WireEnd], through: Collection[str] = ()
) -> tuple[Route, Route] | None:
    """The routes there and back, from the first of `starts` that leads to one of the `targets`, `through` these hosts
    if necessary; None: there is no route."""
    for start in starts:
        there = _way(hops, start, targets, through)
        back = _way(hops, there[-1].far, [start], through) if there else None
        if there and back:
            return Route(there), Route(back)
    return None


def _way(hops: Hops, start: WireEnd, targets: Sequence[WireEnd], through: Collection[str]) -> tuple[Hop, ...] | None:
    """The path over the fewest wires, the first if there are several. Only the hosts in `through` forward."""
    came: dict[WireEnd, Hop | None] = {start: None}
    ends = [start]
    for end in ends:
        for hop in hops.get(end, ()):
            if hop.far in targets:
                return _back_to_start(came, hop)
            for on in _onwards(hops, hop.far, start, through):
                if on not in came:
                    came[on] = hop
                    ends.append(on)
    return None


def _onwards(hops: Hops, end: WireEnd, start: WireEnd, through: Collection[str]) -> list[WireEnd]:
    """The ends by which a frame that has reached `end` may leave."""
    if end.port is None:
        return [end]
    if end.name not in through or end.name == start.name:
        return []
    return sorted(other for other in hops if other.name == end.name and other != end)


def _back_to_start(came: Mapping[WireEnd, Hop | None], last: Hop) -> tuple[Hop, ...]:
    way = [last]
    while (hop := came[way[-1].near]) is not None:
        way.append(hop)
    return tuple(reversed(way))


def looping(hops: Hops, bridges: Collection[str] = ()) -> str | None:
    """The name of a wire that closes a loop of switches and bridges, if there is one."""
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    ends = {(hop.by, end) for own in hops.values() for hop in own for end in (hop.near, hop.far)}
    devices = [(by, end) for by, end in ends if end.port is None or end.name in bridges]
    for by, end in sorted(devices, key=lambda one: (one[0], one[1].name, one[1].port or 0)):
        wire, device = root(f"{by} "), root(end.name)
        if wire == device:
            return by
        group[wire] = device
    return None
