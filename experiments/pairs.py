"""Measured and simulated values as pairs of bars, vertical or horizontal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.looks import BARS, MEASURED_BAR
from experiments.run import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(axes: Axes, outcomes: Sequence[Outcome], width: float, number: str, *, upright: bool) -> None:
    """Bars at 0, 1, 2 ..., measured before simulated, each `width` wide, with its `number` (a format) at its end."""
    bar = axes.bar if upright else axes.barh  # the same arguments: place, length, width
    before = [place - width / 2 for place in range(len(outcomes))]
    drawn = [bar(before, [one.row.measured for one in outcomes], width, **MEASURED_BAR)]
    for basis, look in BARS.items():
        chosen = {place + width / 2: one.simulated for place, one in enumerate(outcomes) if one.basis == basis}
        if chosen:
            drawn.append(bar(list(chosen), list(chosen.values()), width, **look))
    for bars in drawn:
        axes.bar_label(bars, fmt=number, fontsize=7.5, padding=2)
