"""Results as bars: how each resource spends its time, how busy it is, and how long kinds of transactions take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from netsim.show.looks import in_order, name_bars, new_axes, plain_look, text_on, work_look
from netsim.show.occupancy import IDLE, Occupancy, occupancies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from netsim.results.result import Result

_FILLED = 0.9  # of a piece's width: the most that a name takes


def parted(result: Result) -> list[Occupancy]:
    """The lines of `breakdown`."""
    return [line for line in busy(result) if line.work or line.limits or line.carries]


def busy(result: Result) -> list[Occupancy]:
    """The lines of `utilisation`."""
    return [line for line in occupancies(result) if max(line.shares) >= IDLE or line.limits]


def breakdown(result: Result, ax: Axes | None) -> Axes:
    """A bar for each processor, in pieces by work, and one for each bus and wire. A name is written in its piece; the
    legend has those that fit in no piece."""
    lines = parted(result)
    ax = new_axes(ax, len(lines))
    pieces = {name: _draw_pieces(ax, lines, name) for name in in_order({name for line in lines for name in line.work})}
    for place, line in enumerate(lines):
        if not line.work:
            _bar(ax, place, line)
    _as_shares(ax, lines)
    _write_names(ax, {name: bars for name, bars in pieces.items() if _most(bars) >= IDLE})
    return ax


def utilisation(result: Result, ax: Axes | None) -> Axes:
    """A bar for each resource; a bar for several has a line from the least to the most busy of them."""
    lines = busy(result)
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


def _draw_pieces(ax: Axes, lines: Sequence[Occupancy], name: str) -> BarContainer:
    places, starts, shares = zip(*_pieces(lines, name), strict=True)
    left = [100 * one for one in starts]
    return ax.barh(places, [100 * one for one in shares], 0.75, left, **work_look(name, ax))


def _write_names(ax: Axes, pieces: Mapping[str, BarContainer]) -> None:
    """Names in the pieces that are wide enough, as measured beside a legend of all names: one of fewer names leaves
    more room."""
    _legend(ax, pieces)
    ax.figure.figure.draw_without_rendering()
    inside = [name for name, bars in pieces.items() if _write_name(ax, name, bars)]
    _legend(ax, {name: bars for name, bars in pieces.items() if name not in inside})


def _most(bars: BarContainer) -> float:
    """The length of the longest piece, as a share of the time."""
    widths: list[float] = [bar.get_width() for bar in bars]
    return max(widths) / 100


def _legend(ax: Axes, pieces: Mapping[str, BarContainer]) -> None:
    """A legend of these names in place of the earlier one; none if there are no names."""
    if (earlier := ax.get_legend()) is not None:
        earlier.remove()
    if pieces:
        ax.legend([*pieces.values()], [*pieces], title="processor time", loc="upper left", bbox_to_anchor=(1.01, 1),
                  frameon=False)  # fmt: skip


def _write_name(ax: Axes, name: str, bars: BarContainer) -> bool:
    """Write a name in each piece that is wide enough for it; whether there is any."""
    colour = text_on(bars[0].get_facecolor())
    texts = ax.bar_label(bars, [name] * len(bars), label_type="center", fontsize=7, color=colour)
    tight = [text.get_window_extent().width > _FILLED * bar.get_window_extent().width
             for text, bar in zip(texts, bars, strict=True)]  # fmt: skip
    for text in compress(texts, tight):
        text.remove()
    return not all(tight)


def _pieces(lines: Sequence[Occupancy], name: str) -> Iterator[tuple[int, float, float]]:
    """Each line with work of this name: its place, where the piece begins in its bar, and its length."""
    for place, line in enumerate(lines):
        if name in line.work:
            order = in_order(line.work)
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
