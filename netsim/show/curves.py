"""Results as lines: a series over the size of its messages, and the course of a run over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netsim.show import palette
from netsim.show.looks import MARKERS, new_axes
from netsim.units import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.result import Result

_STEP = 16  # from one tick to the next


def curve(result: Result, ax: Axes | None) -> Axes:
    """Throughput over message size, with intervals, and the size from which it is half of the maximum."""
    ax, unit = new_axes(ax), result.scenario.unit
    sizes, rates = [point.size for point in result.curve], [unit.of(point.throughput) for point in result.curve]
    bars = [rate * point.half_width / point.half_round_trip for rate, point in zip(rates, result.curve, strict=True)]
    _line(ax, sizes, rates, bars)
    half = next(size for size, rate in zip(sizes, rates, strict=True) if rate >= max(rates) / 2)
    muted = palette.of(ax).muted
    ax.axvline(half, linestyle=":", color=muted)
    text = f"half of the maximum:\nfrom {format_quantity('bytes', half)} on"
    ax.annotate(text, (half, 0.03), (5, 0), xycoords=("data", "axes fraction"), textcoords="offset points", color=muted)
    _over_sizes(ax, sizes[0], sizes[-1])
    ax.set_ylim(bottom=0)
    ax.set_ylabel(f"throughput ({unit.name})")
    return ax


def latency(result: Result, ax: Axes | None) -> Axes:
    """Half a round trip over message size, with intervals."""
    ax = new_axes(ax)
    sizes, times = [point.size for point in result.curve], [point.half_round_trip * 1e6 for point in result.curve]
    bars = [point.half_width * 1e6 for point in result.curve]
    _line(ax, sizes, times, bars)
    _over_sizes(ax, sizes[0], sizes[-1])
    ax.set_yscale("log")
    ax.set_ylabel("half a round trip (μs)")
    return ax


def history(result: Result, ax: Axes | None) -> Axes:
    """Throughput over time, sample by sample, the mean of each phase, and the event that begins it."""
    ax, unit = new_axes(ax), result.scenario.unit
    own = palette.of(ax)
    times, rates = zip(*result.history, strict=True)
    ax.plot(times, [unit.of(rate) for rate in rates], linewidth=1, color=own.predicted)
    for number, phase in enumerate(result.phases):
        mean = unit.of(phase.throughput)
        ax.hlines(mean, phase.start, phase.end, color=own.ink, linestyle="--", linewidth=1.5, zorder=3)
        ax.annotate(f"mean {mean:.4g}", ((phase.start + phase.end) / 2, mean), (0, 4), textcoords="offset points",
                    ha="center", fontsize="small", color=own.ink)  # fmt: skip
        if number:
            ax.axvline(phase.start, color=own.muted, linestyle=":")
        ax.annotate(phase.cause, (phase.start, 0.02), xycoords=("data", "axes fraction"), xytext=(3, 0),
                    textcoords="offset points", fontsize="small")  # fmt: skip
    ax.set_xlim(result.phases[0].start, result.phases[-1].end)
    ax.set_ylim(0, 1.2 * unit.of(max(rates)))
    ax.set_xlabel("time (s)")
    ax.set_ylabel(f"throughput ({unit.name})")
    return ax


def _line(ax: Axes, sizes: Sequence[int], values: Sequence[float], bars: Sequence[float]) -> None:
    colour = palette.of(ax).predicted
    ax.errorbar(sizes, values, yerr=bars, marker=MARKERS[0], markersize=4, capsize=3, color=colour)


def _over_sizes(ax: Axes, first: int, last: int) -> None:
    """A logarithmic axis of bytes."""
    ax.set_xscale("log", base=2)
    ticks = [_STEP**power for power in range(16) if first <= _STEP**power <= last]
    ax.set_xticks(ticks, [format_quantity("bytes", tick) for tick in ticks])
    ax.set_xlabel("message size (bytes)")
