"""The pictures of rows: simulated against measured, and every error."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from experiments.drawing import FITTED, GRID, MUTED, PREDICTED, new_figure, style, svg
from experiments.run import Outcome
from experiments.scale import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELLED = 3  # worst rows with their names
INCH_PER_ROW = 0.21
NAME = 60  # characters of a group's name in a line
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
        _diagonal(axes, row.scale, [one.row.measured for one in outcomes], [one.simulated for one in outcomes])
        for fitted, mark in MARKS.items():
            chosen = [one for one in outcomes if one.fitted == fitted]
            points = [one.row.measured for one in chosen], [one.simulated for one in chosen]
            axes.scatter(*points, s=26, alpha=0.85, linewidths=0, zorder=3, **mark)
        figure.legend(loc="outside upper left", ncols=3, frameon=False)
        _label_worst(axes, outcomes)
        return svg(figure, f"scatter-{row.quantity}-{row.unit}", "Simulated against measured values")


def _diagonal(axes: Axes, scale: Scale, measured: Sequence[float], simulated: Sequence[float]) -> None:
    """The line where both are equal with its band; logarithmic if values differ much and relative errors count."""
    both = [*measured, *simulated]
    logarithmic = scale.relative and min(both) > 0 and max(both) > 10 * min(both)
    ends = (min(both) / 1.15, max(both) * 1.15) if logarithmic else _padded(min(both), max(both))
    if logarithmic:
        axes.loglog()
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    below, above = zip(*map(scale.around, ends), strict=True)
    axes.fill_between(ends, below, above, color=GRID, alpha=0.5, linewidth=0, label=_band(scale))
    axes.plot(ends, ends, color=MUTED, linewidth=1)


def _band(scale: Scale) -> str:
    return scale.text(f"+/- {scale.band:g}")


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = 0.06 * (high - low or high)
    return low - pad, high + pad


def _label_worst(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Names in the empty corner below the diagonal, each with a line to its point, in the points' order."""
    worst = sorted(outcomes, key=lambda one: -abs(one.error))[:LABELLED]
    for place, one in enumerate(sorted(worst, key=lambda one: one.row.measured)):
        axes.annotate(
            f"{one.row.label} {one.row.scale.text(f'{one.error:+.1f}')}\n{one.row.group}",
            (one.row.measured, one.simulated),
            xytext=(0.99, 0.03 + 0.12 * place),
            textcoords="axes fraction",
            ha="right",
            fontsize=7.5,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "relpos": (0.0, 1.0)},
        )


def errors(groups: Sequence[tuple[str, Sequence[Outcome]]]) -> list[str]:
    """Each row's error with its interval, in the table's order: one picture for each scale."""
    lines: dict[Scale, list[Outcome | str]] = {}
    known = Counter((name, group[0].row.scale) for name, group in groups)
    for name, group in groups:
        row = group[0].row
        title = f"{name}: {row.quantity}" if known[name, row.scale] > 1 else name
        lines.setdefault(row.scale, []).extend([*textwrap.wrap(title, NAME), *group])
    return [_errors(scale, found) for scale, found in lines.items()]


def _errors(scale: Scale, lines: Sequence[Outcome | str]) -> str:
    with style():
        figure = new_figure(4.6, 0.7 + INCH_PER_ROW * len(lines))
        axes = figure.add_subplot()
        for place, line in enumerate(lines):
            if isinstance(line, Outcome):
                _error(axes, place, line)
        _name_lines(axes, lines)
        axes.set(xlabel=f"error ({scale.unit}); band {_band(scale)}", ylim=(len(lines) - 0.4, -0.6))
        axes.margins(x=0.08)
        return svg(figure, f"errors-{scale.unit}", f"Error of every row in {scale.unit}")


def _error(axes: Axes, place: int, one: Outcome) -> None:
    mark = {key: value for key, value in MARKS[one.fitted].items() if key != "label"}
    scale = one.row.scale
    spread = scale.spread(one.half_width, one.row.measured)
    ends = (place - 0.5, place + 0.5)
    axes.fill_betweenx(ends, -scale.band, scale.band, color=GRID, alpha=0.5, linewidth=0)
    axes.plot((0, 0), ends, color=MUTED, linewidth=1, zorder=1)
    axes.errorbar(one.error, place, xerr=spread, markersize=4.5, linewidth=1.2, linestyle="none", **mark)


def _name_lines(axes: Axes, lines: Sequence[Outcome | str]) -> None:
    """Rows beside the axes; groups in lines of their own, from the picture's left edge on."""
    from matplotlib.transforms import blended_transform_factory  # here, because matplotlib takes half a second

    axes.set_yticks(range(len(lines)), [line.row.label if isinstance(line, Outcome) else "" for line in lines])
    axes.tick_params(axis="y", length=0)
    for place, line in enumerate(lines):
        if isinstance(line, str):
            edge = blended_transform_factory(axes.figure.transFigure, axes.transData)
            axes.text(0.01, place, line, transform=edge, va="center", weight="bold", fontsize=8).set_in_layout(False)
