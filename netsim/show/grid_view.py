"""Bounds over a grid for human readers: the resources that limit, each with its range and its number of points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from netsim.show.html import render
from netsim.units import fixed

if TYPE_CHECKING:
    from netsim.explore import BoundsGrid


def title(grid: BoundsGrid) -> str:
    """The test, and the number of points along each axis."""
    return f"{grid.scenario.label} at {_points(*grid.shape)}"


def text(grid: BoundsGrid) -> str:
    """A line for each bottleneck, and one for each reason why points are not a scenario."""
    unit = grid.unit.name
    lines = [
        f"{name:<32}{fixed(low):>12} to {fixed(high)} {unit} at {_points(count)}"
        for name, low, high, count in _ranges(grid)
    ]
    return "\n".join([title(grid), *lines, *map(str, grid.failures)])


def html(grid: BoundsGrid) -> str:
    """A row for each bottleneck, with a bar for its share of the points."""
    rows = [
        ((name, f"{fixed(low)} to {fixed(high)} {grid.unit.name}", str(count)), count / grid.limit.size)
        for name, low, high, count in _ranges(grid)
    ]
    heads, notes = ["bottleneck", "allows", "points"], list(map(str, grid.failures))
    return render("shares.html", title=title(grid), heads=heads, rows=rows, notes=notes)


def _ranges(grid: BoundsGrid) -> Iterator[tuple[str, float, float, int]]:
    """For each bottleneck, the range of the limit and the number of points, most points first."""
    names, counts = np.unique(grid.bottleneck[~grid.failed].astype(str), return_counts=True)
    for name, count in sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda one: -one[1]):
        rates = grid.limit[grid.bottleneck == name] / grid.unit.size
        yield name, float(rates.min()), float(rates.max()), count


def _points(*lengths: int) -> str:
    return " x ".join(map(str, lengths)) + (" point" if lengths == (1,) else " points")
