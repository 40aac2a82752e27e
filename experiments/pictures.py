"""The pictures of rows: simulated against measured, and every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.drawing import FITTED, GRID, MUTED, PREDICTED, new_figure, style, svg
from experiments.run import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND = 5.0  # per cent
LABELLED = 3  # worst rows with their names
INCH_PER_ROW = 0.21
MARKS: dict[bool, dict[str, Any]] = {
    False: {"marker": "o", "color": PREDICTED, "label": "predicted"},
    True: {"marker": "D", "color": FITTED, "label": "fitted"},
}


def scatters(outcomes: Sequence[Outcome]) -> list[str]:
    """Simulated against measured, one picture for each quantity and unit."""
    kinds = list(dict.fromkeys((one.row.quantity, one.row.unit) for one in outcomes))
    return [_scatter([one for one in outcomes if (one.row.quantity, one.row.unit) == kind]) for kind in kinds]


def _scatter(outcomes: Sequence[Outcome]) -> str:
    with style():
        figure = new_figure(4.6, 4.6)
        axes = figure.add_subplot()
        row = outcomes[0].row
        axes.set(xlabel=f"measured {row.quantity} ({row.unit})", ylabel=f"simulated {row.quantity} ({row.unit})")
        _diagonal(axes, [one.row.measured for one in outcomes], [one.simulated for one in outcomes])
        for fitted, mark in MARKS.items():
            chosen = [one for one in outcomes if one.fitted == fitted]
            points = [one.row.measured for one in chosen], [one.simulated for one in chosen]
            axes.scatter(*points, s=26, alpha=0.85, linewidths=0, zorder=3, **mark)
        figure.legend(loc="outside upper left", ncols=3, frameon=False)
        _label_worst(axes, outcomes)
        return svg(figure, f"scatter-{row.quantity}-{row.unit}", "Simulated against measured values")


def _diagonal(axes: Axes, measured: Sequence[float], simulated: Sequence[float]) -> None:
    """The line where both are equal with its band; logarithmic if values differ much."""
    both = [*measured, *simulated]
    logarithmic = min(both) > 0 and max(both) > 10 * min(both)
    ends = (min(both) / 1.15, max(both) * 1.15) if logarithmic else _padded(min(both), max(both))
    if logarithmic:
        axes.loglog()
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    below, above = ([end * (1 + sign * BAND / 100) for end in ends] for sign in (-1, 1))
    axes.fill_between(ends, below, above, color=GRID, alpha=0.5, linewidth=0, label=f"+/- {BAND:.0f} %")
    axes.plot(ends, ends, color=MUTED, linewidth=1)


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = 0.06 * (high - low or high)
    return low - pad, high + pad


def _label_worst(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Names in the empty corner below the diagonal, each with a line to its point, in the points' order."""
    worst = sorted(outcomes, key=lambda one: -abs(one.error_percent))[:LABELLED]
    for place, one in enumerate(sorted(worst, key=lambda one: one.row.measured)):
        axes.annotate(
            f"{one.row.label} {one.error_percent:+.1f} %\n{one.row.group}",
            (one.row.measured, one.simulated),
            xytext=(0.99, 0.03 + 0.12 * place),
            textcoords="axes fraction",
            ha="right",
            fontsize=7.5,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "relpos": (0.0, 1.0)},
        )


def errors(groups: Mapping[str, Sequence[Outcome]]) -> str:
    """Each row's error with its interval, in the table's order."""
    lines: list[Outcome | str] = []
    for name, group in groups.items():
        lines += [name, *group]
    with style():
        figure = new_figure(4.6, 0.7 + INCH_PER_ROW * len(lines))
        axes = figure.add_subplot()
        for place, line in enumerate(lines):
            if isinstance(line, Outcome):
                _error(axes, place, line)
        _name_lines(axes, lines)
        axes.set(xlabel=f"error in per cent of the measurement; band +/- {BAND:.0f} %", ylim=(len(lines) - 0.4, -0.6))
        axes.margins(x=0.08)
        return svg(figure, "errors", "Error of every row")


def _error(axes: Axes, place: int, one: Outcome) -> None:
    mark = {key: value for key, value in MARKS[one.fitted].items() if key != "label"}
    spread = 100 * one.half_width / one.row.measured
    ends = (place - 0.5, place + 0.5)
    axes.fill_betweenx(ends, -BAND, BAND, color=GRID, alpha=0.5, linewidth=0)
    axes.plot((0, 0), ends, color=MUTED, linewidth=1, zorder=1)
    axes.errorbar(one.error_percent, place, xerr=spread, markersize=4.5, linewidth=1.2, linestyle="none", **mark)


def _name_lines(axes: Axes, lines: Sequence[Outcome | str]) -> None:
    axes.set_yticks(range(len(lines)), [line.row.label if isinstance(line, Outcome) else "" for line in lines])
    axes.tick_params(axis="y", length=0)
    for place, line in enumerate(lines):
        if isinstance(line, str):
            axes.text(0, place, line, transform=axes.get_yaxis_transform(), va="center", weight="bold", fontsize=8)
