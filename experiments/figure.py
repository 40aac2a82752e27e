"""A report's own figure: what it shows, measured beside simulated, from rows that are simulated anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.drawing import GRID, INK, MUTED, PAGE, SERIES, new_figure, style, svg
from experiments.run import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER = "other"
LABELLED = 6.0  # per cent of CPU from which on a part has room for its name
HALF = 0.4  # a bar's width above, of the space for a configuration: there are two
WIDTH = 0.86  # the same below, where there is one


@dataclass(frozen=True)
class Bar:
    """A configuration: the ids of its rows of throughput and of CPU. A `label` may have several lines."""

    label: str
    throughput: str
    cpu: str


@dataclass(frozen=True)
class Figure:
    """`bars` in their order; `host` is whose processor time is shown by name."""

    title: str
    caption: str
    bars: tuple[Bar, ...]
    host: str = "server"


def draw(figures: Sequence[Figure], outcomes: Sequence[Outcome]) -> list[tuple[Figure, str]]:
    """Each figure with its SVG. What processors do has the same colour in all of them."""
    found = {one.row.id: one for one in outcomes}
    colours = _colours([found[bar.cpu].cpu_by_name[figure.host] for figure in figures for bar in figure.bars])
    return [(figure, _picture(figure, found, colours, number)) for number, figure in enumerate(figures, start=1)]


def _colours(shares: Sequence[Mapping[str, float]]) -> dict[str, str]:
    """Name -> colour, those that take most time in all first; what is left over shares one."""
    total: Counter[str] = Counter()
    for one in shares:
        total.update(one)
    return {name: colour for (name, _), colour in zip(total.most_common(), SERIES, strict=False)} | {OTHER: MUTED}


def _picture(figure: Figure, found: Mapping[str, Outcome], colours: Mapping[str, str], number: int) -> str:
    with style():
        drawing = new_figure(4.6, 5.6)
        above, below = drawing.subplots(2, 1, sharex=True, height_ratios=(2, 3))
        _throughput(above, [found[bar.throughput] for bar in figure.bars])
        _cpu(below, [found[bar.cpu] for bar in figure.bars], figure.host, colours)
        below.set_xticks(range(len(figure.bars)), [bar.label for bar in figure.bars])
        below.set_xlim(-0.6, len(figure.bars) - 0.4)
        for axes in (above, below):
            axes.tick_params(axis="x", length=0)
        drawing.legend(*above.get_legend_handles_labels(), loc="outside upper left", ncols=2, frameon=False)
        drawing.legend(*below.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
        return svg(drawing, f"figure-{number}", figure.title)


def _throughput(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Measured left and hatched, simulated right and full."""
    left, right = ([place + side * HALF / 2 for place in range(len(outcomes))] for side in (-1, 1))
    measured, simulated = [one.row.measured for one in outcomes], [one.simulated for one in outcomes]
    outline: dict[str, Any] = {"facecolor": "none", "edgecolor": INK, "hatch": "////", "linewidth": 0.8}
    axes.bar_label(axes.bar(left, measured, HALF, label="measured", **outline), fmt="%.0f", fontsize=7.5)
    axes.bar_label(axes.bar(right, simulated, HALF, label="simulated", color=MUTED), fmt="%.0f", fontsize=7.5)
    axes.margins(y=0.12)
    axes.set(ylabel=f"{outcomes[0].row.quantity} ({outcomes[0].row.unit})")


def _cpu(axes: Axes, outcomes: Sequence[Outcome], host: str, colours: Mapping[str, str]) -> None:
    """What is simulated by name, from the bottom; what was measured as a mark across it."""
    parts = [_parts(one.cpu_by_name[host], colours) for one in outcomes]
    bottom = [0.0] * len(outcomes)
    shown = {name: colour for name, colour in colours.items() if any(one.get(name) for one in parts)}
    for name, colour in shown.items():
        heights = [100 * one.get(name, 0.0) for one in parts]
        look: dict[str, Any] = {"color": colour, "edgecolor": PAGE, "linewidth": 0.8}
        bars = axes.bar(range(len(parts)), heights, WIDTH, bottom, label=name, **look)
        inside = [f"{name} {height:.0f}" if height >= LABELLED else "" for height in heights]
        axes.bar_label(bars, inside, label_type="center", color=PAGE, fontsize=7)
        bottom = [one + height for one, height in zip(bottom, heights, strict=True)]
    for place, one in enumerate(outcomes):
        axes.text(place, 104, f"{one.row.measured:.0f} / {one.simulated:.0f}", ha="center", fontsize=7.5)
    mark: dict[str, Any] = {"s": 900, "marker": "_", "zorder": 3}
    measured = [one.row.measured for one in outcomes]
    axes.scatter(range(len(outcomes)), measured, color=PAGE, linewidth=4.5, **mark)  # so that it is seen on any colour
    axes.scatter(range(len(outcomes)), measured, color=INK, linewidth=1.6, label="measured", **mark)
    axes.set(ylim=(0, 113), yticks=range(0, 101, 20), ylabel=f"{host}'s CPU (%), measured / simulated")
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def _parts(shares: Mapping[str, float], colours: Mapping[str, str]) -> dict[str, float]:
    parts = {name: share for name, share in shares.items() if name in colours}
    return parts | {OTHER: sum(share for name, share in shares.items() if name not in colours)}
