"""Bounds as a picture: how far each resource alone would let a test go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.show.looks import name_bars, new_axes, plain_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.accounts.bounds import Bounds

_FAR = 4  # times the limit: what allows more than that is off the picture


def draw(bounds: Bounds, ax: Axes | None) -> Axes:
    rows, limit, unit = bounds.alike(), bounds.unit.of(bounds.limit), bounds.unit.name
    ax = new_axes(ax, len(rows))
    end = min(_FAR * limit, 1.1 * rows[-1].rate)
    for place, row in enumerate(rows):
        ax.barh(place, min(row.rate, end), height=0.75, **plain_look(row.limits, ax))
        ax.text(min(row.rate, end), place, f" {_number(row.rate)}{' ▸' if row.rate > end else ''}", va="center")
    ax.axvline(limit, linestyle="--", color="C1")
    ax.set_title(f"dashed: all together, {_number(limit)} {unit}", loc="left", fontsize="medium")
    name_bars(ax, [row.name for row in rows], [row.limits for row in rows])
    ax.set_xlim(0, 1.2 * end)
    ax.set_xlabel(f"allowed by each resource alone ({unit})")
    return ax


def _number(rate: float) -> str:
    return f"{rate:.4g}" if rate < 1000 else f"{rate:.0f}"
