"""A frame's path as a row of steps: each resource, how busy it is, and with which work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from netsim.accounts import Resource
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import BUS, CABLE, DOWNLINK, PROCESSOR, PROCESSORS, RECEIVER, TRANSMITTER, UPLINK
from netsim.results.result import Result

_LEAST = 0.005  # smaller busy shares have no step
_MOST = 10  # steps
_DOWN = (PROCESSOR, PROCESSORS, "", BUS, TRANSMITTER)  # through the sending host, "": all other kinds


class Step(NamedTuple):
    """One resource, or several alike: busy for a `share` of the time, in `parts` if known; `allows` is the rate that it
    alone would allow, in the test's unit (None: not known)."""

    name: str
    share: float
    parts: Sequence[tuple[str, float]]
    allows: float | None
    limits: bool


def of_bounds(bounds: Bounds) -> list[Step]:
    """How busy each resource would have to be at the common limit."""
    rows = [(row.resources[0], row) for row in bounds.alike()]
    limit = bounds.unit.of(bounds.limit)
    rows.sort(key=lambda row: _rank(row[0], _first(bounds.demand)))
    return _busiest([Step(row.name, limit / row.rate, [], row.rate, row.limits) for _, row in rows])


def of_result(result: Result, bounds: Bounds) -> list[Step]:
    """How busy each resource was, processors by work; those of like clients are combined."""
    clients = frozenset(result.scenario.client_names)
    found: dict[tuple[str, str, int | None], list[Resource]] = {}
    for one in sorted(result.utilisation, key=lambda one: _rank(one, _first(bounds.demand))):
        key = ("", one.kind, None) if one.host in clients else (one.host, one.kind, one.number)
        found.setdefault(key, []).append(one)
    return _busiest([_measured(result, bounds, alike) for alike in found.values()])


def _busiest(steps: Sequence[Step]) -> list[Step]:
    """The active steps, or only the busiest if there are too many, in the order of the path."""
    most = sorted(steps, key=lambda one: (not one.limits, -one.share))[:_MOST]
    return [one for one in steps if one.share >= _LEAST and one in most]


def _measured(result: Result, bounds: Bounds, alike: Sequence[Resource]) -> Step:
    first, number = alike[0], len(alike)
    parts: dict[str, float] = {}
    for one in alike:
        for name, share in result.processors.get(one, {}).items():
            parts[name] = parts.get(name, 0.0) + share / number
    share = sum(result.utilisation[one] for one in alike) / number
    shown = sorted(((name, part) for name, part in parts.items() if part >= _LEAST), key=lambda part: -part[1])
    name = str(first) if number == 1 else f"{first}, {number} alike"
    allowed = bounds.unit.of(bounds.throughput(first)) if bounds.demand.get(first) else None
    return Step(name, share, shown, allowed, result.bottleneck in alike)


def _first(demand: Mapping[Resource, float]) -> str:
    """The first host."""
    return next((one.host for one in demand if one.host and not one.is_wire), "")


def _rank(one: Resource, first: str) -> tuple[int, int, str, int]:
    """Down through the first host, over wires, up through others; resources that only answers pass are last."""
    down = _DOWN.index(one.kind) if one.kind in _DOWN else _DOWN.index("")
    if one.is_wire:
        there = one.host != first if one.kind in (CABLE, DOWNLINK) else one.host == first or one.kind != UPLINK
        place = (1 if there else 3, int(one.kind != UPLINK))
    elif not one.host:
        place = (4, 0)
    elif one.host == first:
        place = (3, 1) if one.kind == RECEIVER else (0, down)
    else:
        place = (3, 1) if one.kind == TRANSMITTER else (2, -down)
    return (*place, one.host, one.number or 0)
