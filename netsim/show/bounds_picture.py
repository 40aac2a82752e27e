"""Bounds as a picture: the rate that each resource alone would allow a test, and its distance from the limit."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from netsim.show import palette
from netsim.show.looks import name_bars, new_axes
from netsim.units import MBIT_PER_S

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.accounts.bounds import Bounds

_ROOM = 1.5  # times the largest and the smallest rate: the ends of the axis
_SPAN = 10  # times the smallest rate: the minimum span of the axis
_FAR = 100  # times the smallest rate, from which only powers of ten are named: more names would touch each other
_MANY, _GBIT = 10_000, 1000  # Mbit/s: from here on in Gbit/s, and one of them


def draw(bounds: Bounds, ax: Axes | None) -> Axes:
    """A dot for each resource on a logarithmic axis, and a line to it from the rate that all allow together."""
    rows, least = bounds.alike(), bounds.unit.of(bounds.limit)
    size, unit = (_GBIT, "Gbit/s") if bounds.unit == MBIT_PER_S and least >= _MANY else (1, bounds.unit.name)
    rates, limit = [row.rate / size for row in rows], least / size
    ax = new_axes(ax, len(rows))
    own = palette.of(ax)
    decides = [isclose(rate, limit, rel_tol=1e-6) for rate in rates]
    ax.set_xscale("log")
    ax.axvline(limit, linestyle="--", linewidth=1, color=own.limits)
    for place, (rate, marked) in enumerate(zip(rates, decides, strict=True)):
        colour = own.limits if marked else own.muted
        ax.hlines(place, limit, rate, color=colour, linewidth=1.5)
        ax.plot(rate, place, "o", color=colour)
        ax.annotate(_number(rate), (rate, place), (7, 0), textcoords="offset points", va="center")
    ax.set_title(f"dashed: the limit of all, {_number(limit)} {unit}", loc="left", fontsize="medium")
    name_bars(ax, [row.name for row in rows], decides)
    _scale(ax, limit, rates[-1])
    ax.set_xlabel(f"allowed by each resource alone ({unit})")
    return ax


def _scale(ax: Axes, least: float, most: float) -> None:
    """Plain numbers, without powers, on a logarithmic axis."""
    from matplotlib.ticker import LogLocator, NullFormatter  # here, because matplotlib takes half a second

    ax.set_xlim(least / _ROOM, _ROOM**2 * max(most, _SPAN * least))
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if most > _FAR * least else (1, 3)))
    ax.xaxis.set_major_formatter("{x:.10g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _number(rate: float) -> str:
    return f"{rate:.4g}" if rate < 1000 else f"{rate:.0f}"
