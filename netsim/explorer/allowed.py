"""The rates that each resource allows, now and with the changes, on one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from netsim.accounts.bounds import Bounds
from netsim.results.result import Result
from netsim.units import decimals

_FAR = 100.0  # times the limit: resources that allow more are at the end of the axis
_STEPS = (1, 2, 5)
_TICKS = 5  # at most; beyond that, every other tick is left out


@dataclass(frozen=True)
class Side:
    """The rate that a resource allows in one of the scenarios: as text, and its place on the axis (%); `far` is beyond
    its end. Several may be limiting."""

    rate: float
    text: str
    place: float
    far: bool
    limits: bool


@dataclass(frozen=True)
class Row:
    """A resource, or several alike; a side is missing if its scenario has no such resource."""

    name: str
    now: Side | None
    what_if: Side | None

    @property
    def difference(self) -> str:
        """The relative difference of both, in per cent; "" without one."""
        if self.now is None or self.what_if is None or self.now.rate == self.what_if.rate:
            return ""
        return share(self.what_if.rate / self.now.rate - 1)


@dataclass(frozen=True)
class BothAllowed:
    """Rows, the lowest limits first, and the axis: (text, place) of its ticks."""

    rows: Sequence[Row]
    ticks: Sequence[tuple[str, float]]
    unit: str


def share(part: float) -> str:
    """A difference in per cent."""
    return f"{100 * part:+.1f} %" if abs(part) < 1 else f"{100 * part:+.0f} %"


def number(rate: float) -> str:
    """A number with four digits."""
    return f"{rate:.4g}" if rate < 10_000 else f"{rate:,.0f}"


def measured(result: Result) -> tuple[str, str]:
    """Throughput and half the width of its interval, with as many digits as the interval justifies."""
    unit = result.scenario.unit
    rate, width = unit.of(result.throughput), unit.of(result.half_width)
    digits = min(max(1 - math.floor(math.log10(width)), 0), decimals(rate, 3)) if width > 0 else decimals(rate)
    return f"{rate:,.{digits}f}", f"{width:,.{digits}f}"


def side_by_side(now: Bounds, what_if: Bounds) -> BothAllowed:
    """Both scenarios in one table."""
    sides = [_limits(bounds) for bounds in (now, what_if)]
    limiting = {name for name, (_, limits) in sides[1].items() if limits}
    rates = [rate for side in sides for rate, _ in side.values()]
    low = min(rates) / 1.25
    high = max(2 * low, min(1.25 * max(rates), _FAR * max(b.unit.of(b.limit) for b in (now, what_if))))
    beyond = (math.inf, False)
    names = sorted(sides[1] | sides[0], key=lambda name: (sides[1].get(name, beyond)[0], name not in limiting))
    rows = [Row(name, *(_side(side.get(name), low, high) for side in sides)) for name in names]
    ticks = [(number(tick), _place(tick, low, high)) for tick in _ticks(low, high)]
    return BothAllowed(rows, ticks, what_if.unit.name)


def _limits(bounds: Bounds) -> dict[str, tuple[float, bool]]:
    """By name, the rate that each resource allows, and whether that is the limit."""
    limit = bounds.unit.of(bounds.limit)
    return {row.name: (row.rate, math.isclose(row.rate, limit, rel_tol=1e-6)) for row in bounds.alike()}


def _side(found: tuple[float, bool] | None, low: float, high: float) -> Side | None:
    if found is None:
        return None
    rate, limits = found
    return Side(rate, number(rate), _place(rate, low, high), rate > high, limits)


def _place(rate: float, low: float, high: float) -> float:
    return 100 * min(max(math.log(rate / low) / math.log(high / low), 0.0), 1.0)


def _ticks(low: float, high: float) -> Iterator[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [step * 10.0**decade for decade in decades for step in _STEPS if low <= step * 10.0**decade <= high]
    while len(every) > _TICKS:
        every = every[::2]
    yield from every
