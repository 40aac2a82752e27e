"""What all pictures have in common: where they are drawn, in which units, and how lines and bars look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from netsim.machine.work import NAMES
from netsim.units import QUANTITIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "os^DvPX*"  # lines are told apart by more than colour
LINES = ("-", "--", "-.", ":")
HATCHES = ("", "//", "\\\\", "xx", "..", "--", "||", "++", "oo")  # and so are bars
BAR = 0.32  # inches of height for each bar
_FRAME = 1.1  # inches for what is around them
_PALETTE = "tab20"  # of as many colours as there are names
_PLAIN = "0.6"  # grey, which no name has


def new_axes(ax: Axes | None, bars: int = 0) -> Axes:
    """These axes, or else new ones of pyplot's, high enough for that many bars."""
    if ax is not None:
        return ax
    from matplotlib import pyplot  # here, because it takes half a second

    size = pyplot.rcParams["figure.figsize"]
    return pyplot.subplots(figsize=(size[0], _FRAME + BAR * bars) if bars else None, layout="constrained")[1]


def scale(quantity: str, most: float) -> tuple[float, str]:
    """In which unit a quantity (netsim.units.QUANTITIES) of up to `most` base units is drawn: its size in base units
    and its symbol. Bytes stay bytes, as a frame of 1500 is none of 1.46 KiB."""
    rule = QUANTITIES[quantity]
    units = rule.units or {}
    sizes = [(size, unit) for unit, size in units.items() if size <= most and (size == 1 or not rule.divides)]
    return max(sizes, default=(1, [*units][-1] if units else ""))


def work_look(name: str, ax: Axes) -> dict[str, Any]:
    """How processor time of this name is filled, the same in all pictures; separated and hatched in the background's
    colour."""
    from matplotlib import colormaps

    number = NAMES.index(name) if name in NAMES else len(NAMES)
    colours = colormaps[_PALETTE]
    return {
        "facecolor": colours(number % colours.N),
        "hatch": HATCHES[number % len(HATCHES)],
        "edgecolor": ax.get_facecolor(),
        "linewidth": 0.8,
    }


def plain_look(marked: bool, ax: Axes) -> dict[str, Any]:
    """How a bar is filled that is of one piece; what is `marked` is hatched and has a frame."""
    edge = ax.xaxis.label.get_color()
    return {"facecolor": _PLAIN, "hatch": "//" if marked else "", "edgecolor": edge, "linewidth": 1.5 if marked else 0}


def name_bars(ax: Axes, names: Iterable[str], marked: Iterable[bool]) -> None:
    """Names beside horizontal bars, the first one on top; what is marked is bold, and says why."""
    flags = list(marked)
    labels = [f"limits ▸ {name}" if flag else name for name, flag in zip(names, flags, strict=True)]
    ax.set_yticks(range(len(labels)), labels)
    for tick, flag in zip(ax.get_yticklabels(), flags, strict=True):
        tick.set_fontweight("bold" if flag else "normal")
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
