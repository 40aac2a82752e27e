"""A way over several wires, through switches and hosts that forward."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, cast

from netsim.closed_form.bursts import quickest, quickest_crossing
from netsim.closed_form.forwarded import Carried, in_tunnels, passing_time
from netsim.closed_form.way import Way
from netsim.closed_form.wires import OnWire, before_last
from netsim.ethernet import Frame
from netsim.stack import ComputerSpec
from netsim.topology.routes import Route

if TYPE_CHECKING:
    from netsim.topology.network import Network


class RouteWay(Way):
    """The way along a route through a network. Consecutive frames are consecutive on all of its wires."""

    def __init__(self, near: ComputerSpec, far: ComputerSpec, route: Route, test: Network) -> None:
        super().__init__(near, far, route.hops[-1].medium, 0, ports=route.ports)
        self._route, self._test = route, test

    def _wires(self, frames: Sequence[tuple[int, Frame]]) -> list[OnWire]:
        """These frames on each wire, in a tunnel those that enclose them."""
        carried = in_tunnels(self._test, self._route, [*frames])
        first, last = (self._passing([own.only(place) for own in carried]) for place in (0, -1))
        legs = zip(self._route.legs, carried, strict=True)
        ahead = (before_last(quickest(hop.medium), _counted(own)) for leg, own in legs for hop in leg.hops)
        return [OnWire(*times) for times in zip(first, ahead, last, strict=True)]

    def _passing(self, carried: Sequence[Carried]) -> list[int]:
        """The times (ps) of one frame on each wire, including that in a host behind it."""
        test, legs = self._test, self._route.legs
        steps = [
            [quickest_crossing(hop, own.frames[0][1].size) for hop in leg.hops]
            for leg, own in zip(legs, carried, strict=True)
        ]
        for on_leg, (before, behind), (taken, sent) in zip(steps, pairwise(legs), pairwise(carried), strict=False):
            ports, last = (before.ports[1], behind.ports[0]), before.hops[-1]
            on_leg[-1] += passing_time(test.computers[last.far.name], ports, last.medium, taken, sent, test.mtu)
        return [*chain.from_iterable(steps)]


def _counted(carried: Carried) -> Sequence[tuple[int, Frame]]:
    """The frames of one message, which has no share of a frame."""
    return cast(Sequence[tuple[int, Frame]], carried.frames)
