"""Pictures of all rows: simulated against measured, and every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from experiments import far
from experiments.digits import unit
from experiments.drawing import GRID, MUTED, SERIES, legend, new_figure, style, svg, widen
from experiments.left_out_errors import ALL, Kind
from experiments.looks import POINTS
from experiments.run import Outcome
from experiments.scale import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCH_PER_LANE = 0.38
LEAST = 0.1  # per cent: where the logarithmic axis begins
DASHES = ("solid", (0, (5, 1.5)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1.5, 1, 1.5, 1, 1.5)))


def scatters(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    """Simulated against measured, one picture with its title for each quantity and unit."""
    kinds: dict[str, list[Outcome]] = {}
    for one in outcomes:
        kinds.setdefault(f"{one.row.quantity} ({unit(one.row.unit)})", []).append(one)
    return [(title, _scatter(title, rows)) for title, rows in kinds.items()]


def _scatter(title: str, outcomes: Sequence[Outcome]) -> str:
    with style():
        figure = new_figure(3.4, 3.6)
        axes = figure.add_subplot()
        axes.set(xlabel=f"measured {title}", ylabel=f"simulated {title}")
        measured, simulated = [one.row.measured for one in outcomes], [one.simulated for one in outcomes]
        _diagonal(axes, outcomes[0].row.scale, measured, simulated)
        for basis, look in POINTS.items():
            chosen = [(one.row.measured, one.simulated) for one in outcomes if one.basis == basis]
            if chosen:
                axes.plot(*zip(*chosen, strict=True), markersize=5, alpha=0.85, linestyle="none", zorder=3, **look)
        within = f"{sum(one.near for one in outcomes)} of {len(outcomes)} rows are within tolerance"
        return svg(figure, f"scatter-{title}", f"Simulated against measured {title}: {within}")


def _diagonal(axes: Axes, scale: Scale, measured: Sequence[float], simulated: Sequence[float]) -> None:
    """The line of equal values with its band; logarithmic if values differ widely and errors are relative."""
    from matplotlib.ticker import LogLocator  # here, because matplotlib takes half a second

    both = [*measured, *simulated]
    logarithmic = scale.relative and min(both) > 0 and max(both) > 10 * min(both)
    ends = (min(both) / 1.15, max(both) * 1.15) if logarithmic else widen(min(both), max(both))
    if logarithmic:
        axes.loglog()
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    below, above = zip(*map(scale.around, ends), strict=True)
    axes.fill_between(ends, below, above, color=GRID, alpha=0.8, linewidth=0)
    axes.plot(ends, ends, color=MUTED, linewidth=1)
    axes.text(0.03, 0.97, scale.text(f"grey: ±{scale.band:g}"), transform=axes.transAxes, va="top", color=MUTED)


def left_out(kinds: Sequence[Kind]) -> str:
    """For each kind of group left out, the cumulative share of rows by error."""
    with style():
        figure = new_figure(4.6, 3.4)
        axes = figure.add_subplot()
        axes.set_xscale("log")
        own = [one for one in kinds if one.name != ALL]
        most = max(one.sizes[-1] for one in own)
        for one, colour, dashes in zip(own, SERIES, DASHES, strict=False):
            sizes = [max(size, LEAST) for size in one.sizes]
            shares = [100 * (place + 1) / len(sizes) for place in range(len(sizes))]
            steps = [LEAST, *sizes, most], [0, *shares, 100]
            axes.step(*steps, where="post", color=colour, linestyle=dashes, linewidth=1.6, label=one.label)
        for share in (50, 90):
            axes.axhline(share, color=GRID, linewidth=1, zorder=0)
        axes.set(xlim=(LEAST, most), ylim=(0, 101))
        axes.set(xlabel="size of the error (per cent, CPU: points)", ylabel="rows (%)")
        axes.set_yticks((0, 25, 50, 75, 90, 100))
        ticks = [tick for tick in (0.1, 0.3, 1, 3, 10, 30, 100, 300) if tick < most]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
        legend(figure, axes)
        spoken = ", ".join(f"{one.label} {one.median:.1f}" for one in own)
        title = f"Share of rows within each error, of rows that the fit has not seen. Medians: {spoken}"
        return svg(figure, "left-out", title)


def overview(outcomes: Sequence[Outcome]) -> str:
    """Every row's error as a multiple of its tolerance, a lane for each quantity of a report."""
    lanes: dict[str, list[Outcome]] = {}
    for one in outcomes:
        lanes.setdefault(f"{one.row.report}\n{one.row.quantity}", []).append(one)
    with style():
        figure = new_figure(4.6, 0.9 + INCH_PER_LANE * len(lanes))
        axes = figure.add_subplot()
        axes.axvspan(-1, 1, color=GRID, alpha=0.5, linewidth=0, label="within tolerance")
        axes.axvline(0, color=MUTED, linewidth=1, zorder=1)
        for place, rows in enumerate(lanes.values()):
            _lane(axes, place, rows)
        is_far = far.along(axes, 1.0, max(abs(_multiple(one)) for one in outcomes))
        axes.set_xlabel("error / tolerance" + (" (logarithmic beyond ±1)" if is_far else ""))
        axes.set_yticks(range(len(lanes)), list(lanes), fontsize=8)
        axes.set_ylim(len(lanes) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        legend(figure, axes)
        return svg(figure, "overview", _spoken(lanes))


def _spoken(lanes: Mapping[str, Sequence[Outcome]]) -> str:
    within = (f"{name} {sum(one.near for one in rows)} of {len(rows)}" for name, rows in lanes.items())
    told = ", ".join(within).replace("\n", " ")
    return f"Every row's error as a multiple of its tolerance. Within tolerance: {told}"


def _lane(axes: Axes, place: int, rows: Sequence[Outcome]) -> None:
    """Points at alternating heights, so that equal errors don't hide each other."""
    for basis, look in POINTS.items():
        chosen = [(_multiple(one), place + 0.13 * (number % 5 - 2)) for number, one in enumerate(rows)
                  if one.basis == basis]  # fmt: skip
        if chosen:
            axes.plot(*zip(*chosen, strict=True), markersize=4.5, alpha=0.85, linestyle="none", **look)


def _multiple(one: Outcome) -> float:
    return one.error / one.row.tolerance
