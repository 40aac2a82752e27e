"""Processor time by name as stacked bars, vertical or horizontal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.drawing import INK, MUTED, PAGE, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER = "other"
LABELLED = 6.0  # per cent of CPU: the smallest part with room for its name


def colours(shares: Sequence[Mapping[str, float]]) -> dict[str, str]:
    """Name -> colour, those with the most time in total first; the remaining ones share a colour."""
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
    """A stacked bar for each, in per cent of a processor, starting at the axis; `inside` makes the label of a part that
    has room for one, from its name and its size in per cent."""
    bar = axes.bar if upright else axes.barh  # the same arguments: place, length, width, start
    parts = [_parts(one, colours) for one in shares]
    start = [0.0] * len(parts)
    for name, colour in colours.items():
        lengths = [100 * one.get(name, 0.0) for one in parts]
        if not any(lengths):
            continue
        look: dict[str, Any] = {"color": colour, "edgecolor": PAGE, "linewidth": 0.8}
        bars = bar(range(len(parts)), lengths, width, start, label=name, **look)
        texts = [inside(name, length) if length >= LABELLED else "" for length in lengths]
        axes.bar_label(bars, texts, label_type="center", color=PAGE, fontsize=7)
        start = [one + length for one, length in zip(start, lengths, strict=True)]


def mark(axes: Axes, measured: Sequence[float], width: float, *, upright: bool) -> None:
    """The measured values, as arrowheads that point from each bar's edge, where no label is."""
    places = [place - width / 2 for place in range(len(measured))]
    points = (places, measured) if upright else (measured, places)
    look: dict[str, Any] = {"s": 28, "marker": 5 if upright else 7, "zorder": 3, "clip_on": False}
    axes.scatter(*points, color=INK, linewidth=0, label="measured", **look)


def _parts(shares: Mapping[str, float], colours: Mapping[str, str]) -> dict[str, float]:
    parts = {name: share for name, share in shares.items() if name in colours}
    return parts | {OTHER: sum(share for name, share in shares.items() if name not in colours)}
