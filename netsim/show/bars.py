"""Results as bars: how each resource spends its time, how busy it is, and how long kinds of transactions take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from netsim.machine.work import NAMES
from netsim.show.looks import name_bars, new_axes, plain_look, text_on, work_look
from netsim.show.occupancy import IDLE, Occupancy, occupancies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.results.result import Result

_WIDTH = 0.016  # share of all time: the width of a letter within a bar


def breakdown(result: Result, ax: Axes | None) -> Axes:
    """A bar for each processor, in pieces by work, and one for each bus and wire. A name is written in its piece; the
    legend has those that fit in no piece."""
    lines = [line for line in _busy(result) if line.work or line.limits or line.carries]
    ax = new_axes(ax, len(lines))
    for name in _names(lines):
        places, starts, shares = zip(*_pieces(lines, name), strict=True)
        wide = max(shares) >= _WIDTH * len(name)
        label = f"_{name}" if wide or max(shares) < IDLE else name  # not in the legend
        look = work_look(name, ax)
        bars = ax.barh(places, [100 * one for one in shares], 0.75, [100 * one for one in starts], label=label, **look)
        texts = [name if share >= _WIDTH * len(name) else "" for share in shares]
        ax.bar_label(bars, texts, label_type="center", fontsize=7, color=text_on(look["facecolor"]))
    for place, line in enumerate(lines):
        if not line.work:
            _bar(ax, place, line)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(title="processor time", loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return _as_shares(ax, lines)


def utilisation(result: Result, ax: Axes | None) -> Axes:
    """A bar for each resource; a bar for several has a line from the least to the most busy of them."""
    lines = _busy(result)
    ax = new_axes(ax, len(lines))
    for place, line in enumerate(lines):
        _bar(ax, place, line)
    return _as_shares(ax, lines)


def kinds(result: Result, ax: Axes | None) -> Axes:
    """A bar for the mean response of each kind of transactions, with its share of all transactions."""
    ax = new_axes(ax, len(result.kinds))
    for place, kind in enumerate(result.kinds):
        ax.barh(place, kind.response * 1e3, height=0.75, **plain_look(False, ax))
        text = f" {kind.response * 1e3:.3g} ms, {100 * kind.share:.0f} % of all"
        ax.text(kind.response * 1e3, place, text, va="center")
    name_bars(ax, [kind.name for kind in result.kinds], [False] * len(result.kinds))
    ax.set_xlim(0, 1.45 * max(kind.response for kind in result.kinds) * 1e3)  # with room for the text
    ax.set_xlabel("mean response (ms)")
    return ax


def _busy(result: Result) -> list[Occupancy]:
    return [line for line in occupancies(result) if max(line.shares) >= IDLE or line.limits]


def _names(lines: Sequence[Occupancy]) -> list[str]:
    """The names of processor work, in the order of a frame's way up."""
    found = {name for line in lines for name in line.work}
    return [name for name in (*NAMES, *sorted(found - {*NAMES})) if name in found]


def _pieces(lines: Sequence[Occupancy], name: str) -> Iterator[tuple[int, float, float]]:
    """Each line with work of this name: its place, where the piece begins in its bar, and its length."""
    for place, line in enumerate(lines):
        if name in line.work:
            order = _names([line])
            yield place, sum(line.work[one] for one in order[: order.index(name)]), line.work[name]


def _bar(ax: Axes, place: int, line: Occupancy) -> None:
    """A bar of one piece; for several resources, also a line from the least to the most busy of them."""
    ax.barh(place, 100 * line.share, height=0.75, **plain_look(line.limits, ax))
    if len(line.shares) > 1:
        off = [[100 * (line.share - min(line.shares))], [100 * (max(line.shares) - line.share)]]
        ax.errorbar([100 * line.share], [place], xerr=off, fmt="none", ecolor=ax.xaxis.label.get_color(), capsize=3)


def _as_shares(ax: Axes, lines: Sequence[Occupancy]) -> Axes:
    """Names before the bars, and how busy each resource is after its bar."""
    name_bars(ax, [line.name for line in lines], [line.limits for line in lines])
    for place, line in enumerate(lines):
        ax.text(100 * max(line.shares) + 1.5, place, f"{100 * line.share:.0f} %", va="center")
    ax.set_xlim(0, 122)  # with room for the numbers
    ax.set_xticks(range(0, 101, 20))
    ax.set_xlabel("busy (% of the time)")
    return ax
