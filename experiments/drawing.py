"""How pictures are drawn: SVG that takes its colours and fonts from the page's style."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours stand for the page's variables (netsim.show.palette), so that a picture follows light and dark.
INK, MUTED, GRID, PREDICTED, FITTED = "#010101", "#020202", "#030303", "#040404", "#050505"
CHOSEN, LIMITS = "#0f0f0f", "#101010"
SERIES = ("#060606", "#070707", "#080808", "#090909", "#0a0a0a", "#0b0b0b", "#0c0c0c", "#0d0d0d")
PAGE = "#0e0e0e"
VARIABLES = {
    INK: "ink", MUTED: "muted", GRID: "line", PREDICTED: "predicted", CHOSEN: "chosen", FITTED: "fitted", PAGE: "page",
    LIMITS: "limits",
} | {colour: f"series-{number}" for number, colour in enumerate(SERIES, start=1)}  # fmt: skip
LEAST_SPAN = 0.2  # of the largest value: the minimum span of an axis
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "netsim",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GRID,
    "xtick.labelcolor": MUTED,
    "ytick.color": GRID,
    "ytick.labelcolor": MUTED,
}


@contextmanager
def style() -> Iterator[None]:
    """Within it, matplotlib draws in the page's style."""
    import matplotlib as mpl  # here, because it takes half a second

    with mpl.rc_context(STYLE):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def legend(figure: Figure, *every: Axes) -> None:
    """A legend above the picture, with each label of any of the axes once."""
    known = {
        label: handle for axes in every for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(list(known.values()), list(known), loc="outside upper left", ncols=2, frameon=False)


def widen(low: float, high: float) -> tuple[float, float]:
    """Ends of an axis that shows these values: it spans at least a fifth of the largest, so that small differences do
    not look large."""
    pad = max(0.06 * (high - low), (LEAST_SPAN * max(abs(low), abs(high)) - (high - low)) / 2)
    return low - pad, high + pad


def svg(figure: Figure, name: str, title: str) -> str:
    """The drawing as an element of a page, with its own ids and the page's colours; `title` is its alternative text."""
    target = io.StringIO()
    figure.savefig(target, format="svg", transparent=True, metadata={"Date": None})
    text = target.getvalue()
    text = text[text.index("<svg") :]
    prefix = re.sub(r"\W+", "-", name)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}-", text)
    spoken = escape(title)
    head = rf'<svg \1 role="img" aria-label="{spoken}"><title>{spoken}</title>'
    text = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', head, text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, f"var(--{variable})")
    return text
