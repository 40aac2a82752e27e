"""Common to all pictures: their axes, their units, and the style of lines and bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.machine.work import NAMES
from netsim.show import palette
from netsim.units import QUANTITIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType

MARKERS = "os^DvPX*"  # lines differ by more than colour
LINES = ("-", "--", "-.", ":")
BAR = 0.32  # inches of height per bar
_FRAME = 1.1  # inches around the bars
_INCH, _LINE = 72, 11  # points: per inch, and from one name to the next
_BRIGHT = 0.5  # a background at least this bright has dark text
_BLEND = (1.0, 0.55, 0.3)  # share of a series' colour that is kept where names outnumber colours
# The names of processor time in the order of a frame's path up: of a host with a full stack, of a stream's host, and of
# one that only handles or sends packets. No picture has names of two rows, except "copy", so each row has all colours.
_NAMES = (
    (*NAMES, "cache transfers", "steering", "idle exit", "polling"),
    ("netdevice", "skb", "tcp/ip", "copy", "memory", "lock", "scheduling", "etc"),
    ("interrupts", "polls", "packets", "ksoftirqd", "send", "clean"),
)


def new_axes(ax: Axes | None, bars: int = 0) -> Axes:
    """These axes, or new pyplot axes high enough for that many bars; without a box around them."""
    if ax is None:
        from matplotlib import pyplot  # here, because it takes half a second

        size = pyplot.rcParams["figure.figsize"]
        ax = pyplot.subplots(figsize=(size[0], _FRAME + BAR * bars) if bars else None, layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def scale(quantity: str, most: float) -> tuple[float, str]:
    """The unit for a quantity (netsim.units.QUANTITIES) of up to `most` base units: its size in base units and its
    symbol. Bytes stay bytes: a frame of 1500 bytes is not shown as 1.46 KiB."""
    rule = QUANTITIES[quantity]
    units = rule.units or {}
    sizes = [(size, unit) for unit, size in units.items() if size <= most and (size == 1 or not rule.divides)]
    size, unit = max(sizes, default=(1, [*units][-1] if units else ""))
    return size, drawn_unit(unit)


def drawn_unit(unit: str) -> str:
    """A unit as written in pictures: microseconds with their Greek letter."""
    return "\N{GREEK SMALL LETTER MU}s" if unit == "us" else unit


def series(number: int, ax: Axes) -> str:
    """The colour of the line or bar of this number, among several of one kind."""
    every = palette.of(ax).series
    return every[number % len(every)]


def work_look(name: str, ax: Axes) -> dict[str, Any]:
    """The fill of processor time of this name, the same in all pictures; a line in the background's colour separates it
    from its neighbours."""
    return {"facecolor": _shade(_number(name), ax), "edgecolor": ax.get_facecolor(), "linewidth": 0.8}


def in_order(names: Iterable[str]) -> list[str]:
    """Names of processor time in the order of a frame's path up; unknown ones last."""
    known = list(dict.fromkeys(name for row in _NAMES for name in row))
    found = set(names)
    return [name for name in (*known, *sorted(found.difference(known))) if name in found]


def _number(name: str) -> int:
    """Its place in its row; unknown ones share the place after the longest."""
    return next((row.index(name) for row in _NAMES if name in row), len(_NAMES[0]))


def _shade(number: int, ax: Axes) -> ColorType:
    from matplotlib.colors import to_rgb

    every = palette.of(ax).series
    left = _BLEND[number // len(every) % len(_BLEND)]
    over, under = to_rgb(every[number % len(every)]), to_rgb(ax.get_facecolor()[:3])
    return tuple(left * one + (1 - left) * other for one, other in zip(over, under, strict=True))  # type: ignore[return-value]


def text_on(colour: ColorType) -> str:
    """The colour of text on a background of this colour."""
    return palette.LIGHT.ink if palette.brightness(colour) > _BRIGHT else palette.LIGHT.page


def plain_look(marked: bool, ax: Axes) -> dict[str, Any]:
    """The fill of a bar in one piece; a `marked` bar has the bottleneck's colour."""
    own = palette.of(ax)
    return {"facecolor": own.limits if marked else own.muted, "alpha": 1 if marked else 0.6, "linewidth": 0}


def name_bars(ax: Axes, names: Iterable[str], marked: Iterable[bool]) -> None:
    """Names beside horizontal bars, the first one on top; marked ones are bold, with the reason."""
    flags = list(marked)
    labels = [f"limits ▸ {name}" if flag else name for name, flag in zip(names, flags, strict=True)]
    ax.set_yticks(range(len(labels)), labels)
    for tick, flag in zip(ax.get_yticklabels(), flags, strict=True):
        tick.set_fontweight("bold" if flag else "normal")
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def name_lines(ax: Axes, lines: Sequence[tuple[str, Line2D]]) -> None:
    """Names at the right ends of lines, in their colours, moved up where they would overlap."""
    ends = [(name, line, *np.asarray(line.get_xydata())[-1]) for name, line in lines]
    last = -inf
    for name, line, x, y in sorted(ends, key=lambda one: float(one[3])):
        place = float(ax.transData.transform((x, y))[1]) * _INCH / ax.figure.dpi
        last = max(place, last + _LINE)
        ax.annotate(name, (x, y), (6, last - place), textcoords="offset points", color=line.get_color(), va="center",
                    annotation_clip=False)  # fmt: skip
