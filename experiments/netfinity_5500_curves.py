"""The curves behind the report's quotients: throughput against clients, and the bottleneck along them.

The report's own pictures are not in its surviving text; the bottlenecks that it names in words are compared with
these points (`netfinity_5500.statements`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from experiments.drawing import MUTED, PAGE, SERIES, new_figure, style, svg
from experiments.netfinity_5500 import LEVELS, NET_BENCH, SERVER_BENCH, SERVERS, points, series
from experiments.study import Found, Point, Study
from netsim.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Curve = Sequence[tuple[Point, Result]]
# The bottleneck, by the beginning of a resource's name: its label in the legend, and its marker.
MARKS = (
    ("server processor", "processors", "o"),
    ("server disk", "disks", "s"),
    ("wire", "adapters and their segments", "^"),
    ("latency", "none of the server's", "."),
)
OTHER = ("", "anything else", "x")
LINES: dict[int, Literal["-", "--"]] = {500: "-", 450: "--"}  # MHz


def study() -> Study:
    """The picture with its points."""
    return Study(
        title="Throughput against clients",
        caption="ServerBench and NetBench on RAID-0 and RAID-5, with processors of 500 and 450 MHz. A point's shape "
        "names the bottleneck there, by operational analysis: the resource that reaches the largest share of its "
        "own asymptote, or none of the server's. The report prints quotients of these curves, and says what was "
        "the bottleneck where. With fewer than 60 clients NetBench is simulated for 0.5 s, from an estimate of its "
        "steady state: where disks limit, delayed writes swing more slowly than that, and on RAID-5 the points "
        "before the last are too high.",
        points=points,
        draw=draw,
    )


def draw(found: Found) -> str:
    """A row for each benchmark, and a column for each array that has curves."""
    curves = {name: list(curve) for name, curve in groupby(found, key=lambda one: one[0].series)}
    benchmarks = [one for one in (SERVER_BENCH, NET_BENCH) if any(name.startswith(one) for name in curves)]
    levels = [one for one in LEVELS if any(f"RAID-{one}" in name for name in curves)]
    with style():
        figure = new_figure(4.6, 1.2 + 2.4 * len(benchmarks))
        panels = figure.subplots(len(benchmarks), len(levels), sharex=True, sharey="row", squeeze=False)
        for row, benchmark in zip(panels, benchmarks, strict=True):
            for axes, level in zip(row, levels, strict=True):
                _panel(axes, {clock: curves.get(series(benchmark, clock, level), []) for clock in SERVERS})
                axes.set_title(f"{benchmark}, RAID-{level}", fontsize=9, loc="left")
            row[0].set(ylabel="transactions/s" if benchmark == SERVER_BENCH else "file data (MB/s)")
        for axes in panels[-1]:
            axes.set(xlabel="clients", xlim=(0, None))
        figure.legend(handles=_legend(), loc="outside lower left", ncols=2, frameon=False)
        peaks = [f"{name} peaks with {max(curve, key=lambda one: _value(one[1]))[0].x:g} clients"
                 for name, curve in curves.items()]  # fmt: skip
        return svg(figure, "netfinity-5500", f"Throughput against clients, with the bottleneck: {'; '.join(peaks)}")


def _panel(axes: Axes, by_clock: dict[int, Curve]) -> None:
    for colour, (clock, curve) in zip(SERIES, by_clock.items(), strict=False):
        clients, values = [point.x for point, _ in curve], [_value(result) for _, result in curve]
        axes.plot(clients, values, LINES[clock], color=colour, linewidth=1.2)
        for x, y, (_, result) in zip(clients, values, curve, strict=True):
            axes.plot(x, y, _mark(result)[2], color=colour, markersize=5, markeredgecolor=PAGE, markeredgewidth=0.4)
    axes.set(ylim=(0, None))


def _value(result: Result) -> float:
    """TPS, or MB/s."""
    rate = result.scenario.unit.of(result.throughput)
    return rate if result.scenario.unit.each == 1 else rate / 1000


def _mark(result: Result) -> tuple[str, str, str]:
    return next((one for one in MARKS if result.bottleneck.startswith(one[0])), OTHER)


def _legend() -> list[Line2D]:
    from matplotlib.lines import Line2D  # here, because matplotlib takes half a second

    lines = [
        Line2D([], [], color=colour, linestyle=LINES[clock], label=f"{clock} MHz")
        for colour, clock in zip(SERIES, SERVERS, strict=False)
    ]
    return lines + [Line2D([], [], color=MUTED, linestyle="", marker=mark, label=name) for _, name, mark in MARKS]
