"""Latency as a distribution, in text and in pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from netsim.show import palette
from netsim.show.looks import name_bars, new_axes, series
from netsim.units import PS_PER_S, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.latencies import Latencies, Percentile
    from netsim.results.result import Result

_US = 1e6
_STAGES = ("median", "tail")
_PLACE = ": "  # between a place and its stage
_LEAST = 0.005  # us: shorter times are not shown


def short(found: Latencies) -> str:
    """The mean, and the known percentiles."""
    return "   ".join([f"mean {_time(found.mean)}", *map(_percentile, found.percentiles)])


def lines(found: Latencies) -> Iterator[tuple[str, str]]:
    """(title, line) for the percentiles, and for the stages of a transaction around the median and in the tail."""
    yield "latency", short(found)
    for which in _STAGES:
        if _PLACE in found.stages[0].name:
            yield from _by_place(found, which)
        else:
            parts = (f"{stage.name} {getattr(stage, which) * _US:.1f}" for stage in found.stages)
            yield which, f"{'  '.join(parts)} us"


def _by_place(found: Latencies, which: str) -> Iterator[tuple[str, str]]:
    """A line for each place, with those of its stages ("server: protocol") that take any time."""
    places: dict[str, list[str]] = {}
    for stage in found.stages:
        place, _, name = stage.name.partition(_PLACE)
        time = getattr(stage, which) * _US
        if time >= _LEAST:
            places.setdefault(place, []).append(f"{name} {time:.2f}")
    width = max(map(len, places), default=0)
    for place, parts in places.items():
        yield which, f"{place:<{width}}  {'  '.join(parts)} us"


def percentile_cells(one: Percentile) -> tuple[str, ...]:
    """Table cells: the percentile, its time, and its interval."""
    return f"{one.percent:g} %", _time(one.time), f"{_time(one.low)} to {_time(one.high)}"


def _percentile(one: Percentile) -> str:
    """A percentile with its interval, if that is wider than the printed precision."""
    low, time, high = (_time(each) for each in (one.low, one.time, one.high))
    return f"{one.percent:g} % {time}" + (f" ({low} to {high})" if low != high else "")


def _time(seconds: float) -> str:
    return format_time(seconds * PS_PER_S)


def distribution(result: Result, ax: Axes | None) -> Axes:
    """The distribution of the time of transactions, and the percentiles with their intervals."""
    ax, found = new_axes(ax), _of(result)
    whole = found.count
    starts, ends, counts = zip(*found.histogram, strict=True)
    widths = [(end - start) * _US for start, end in zip(starts, ends, strict=True)]
    shares = [100 * count / whole for count in counts]
    ax.bar([start * _US for start in starts], shares, widths, align="edge", color=palette.of(ax).predicted)
    ax.set(xlabel="time of a transaction (μs)", ylabel="transactions (%)", ylim=(0, 1.15 * max(shares)))
    for number, one in enumerate(found.percentiles):
        _percentile_line(ax, number, one)
    return ax


def _percentile_line(ax: Axes, number: int, one: Percentile) -> None:
    """Its position, with its interval and its name beside it, each name lower than the previous one."""
    ink = palette.of(ax).ink
    ax.axvspan(one.low * _US, one.high * _US, color=ink, alpha=0.15, linewidth=0)
    ax.axvline(one.time * _US, color=ink, linestyle=":", linewidth=1)
    text = f"{one.percent:g} %: {_time(one.time)}".replace(" us", " μs")
    ax.annotate(text, (one.time * _US, 0.98 - 0.09 * number), (4, 0), xycoords=("data", "axes fraction"),
                textcoords="offset points", va="top", color=ink)  # fmt: skip


def stages(result: Result, ax: Axes | None) -> Axes:
    """Where the time goes: around the median, and in the slowest hundredth."""
    found = _of(result)
    ax = new_axes(ax, len(_STAGES) + 3)
    starts = [0.0] * len(_STAGES)
    for number, stage in enumerate(found.stages):
        lengths = [getattr(stage, which) * _US for which in _STAGES]
        look: dict[str, Any] = {"facecolor": series(number, ax), "edgecolor": ax.get_facecolor()}
        ax.barh(range(len(_STAGES)), lengths, 0.7, starts, label=stage.name, **look)
        starts = _sums(starts, lengths)
    for place, end in enumerate(starts):
        ax.text(1.01 * end, place, f"{end:.1f} μs", va="center")
    name_bars(ax, ("median", "slowest 1 %"), (False, False))
    ax.set_xlim(0, 1.15 * max(starts))
    ax.set_xlabel("time of a transaction (μs)")
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1.02))
    return ax


def _sums(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _of(result: Result) -> Latencies:
    assert result.latencies is not None
    return result.latencies
