"""What processors do, name by name, as stacked bars: upright ones or lying ones. Names have colours and hatches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.drawing import INK, MUTED, PAGE, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER = "other"
LINES = ("", "///", "\\\\\\", "|||", "---", "xxx", "+++", "//", "")  # dots would make the page ten times as large
HATCHES = dict(zip((*SERIES, MUTED), LINES, strict=True))
LABELLED = 6.0  # per cent of CPU from which on a part has room for its name


def colours(shares: Sequence[Mapping[str, float]]) -> dict[str, str]:
    """Name -> colour, those that take most time in all first; what is left over shares one."""
    total: Counter[str] = Counter()
    for one in shares:
        total.update(one)
    return {name: colour for (name, _), colour in zip(total.most_common(), SERIES, strict=False)} | {OTHER: MUTED}


def stack(
    axes: Axes,
    shares: Sequence[Mapping[str, float]],
    colours: Mapping[str, str],
    width: float,
    inside: Callable[[str, float], str],
    *,
    upright: bool,
) -> None:
    """A bar of each, in per cent of a processor, part by part from the axis on; `inside` is what a part that has room
    says: of its name and its size in per cent."""
    bar = axes.bar if upright else axes.barh  # the same arguments: place, length, width, start
    parts = [_parts(one, colours) for one in shares]
    start = [0.0] * len(parts)
    for name, colour in colours.items():
        lengths = [100 * one.get(name, 0.0) for one in parts]
        if not any(lengths):
            continue
        bars = bar(
            range(len(parts)), lengths, width, start, label=name, color=colour, hatch=HATCHES[colour], edgecolor=PAGE,
            linewidth=0.8,
        )  # fmt: skip
        texts = [inside(name, length) if length >= LABELLED else "" for length in lengths]
        plain = {"facecolor": colour, "linewidth": 0, "pad": 1.0}  # so that a number is not lost in its hatch
        axes.bar_label(bars, texts, label_type="center", color=PAGE, fontsize=7, bbox=plain)
        start = [one + length for one, length in zip(start, lengths, strict=True)]


def mark(axes: Axes, measured: Sequence[float], *, upright: bool, size: float) -> None:
    """What was measured, as a line across each bar, seen on any colour."""
    places = range(len(measured))
    points = (places, measured) if upright else (measured, places)
    look: dict[str, Any] = {"s": size, "marker": "_" if upright else "|", "zorder": 3}
    axes.scatter(*points, color=PAGE, linewidth=4.5, **look)
    axes.scatter(*points, color=INK, linewidth=1.6, label="measured", **look)


def _parts(shares: Mapping[str, float], colours: Mapping[str, str]) -> dict[str, float]:
    parts = {name: share for name, share in shares.items() if name in colours}
    return parts | {OTHER: sum(share for name, share in shares.items() if name not in colours)}
