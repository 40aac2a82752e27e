"""Sobol indices for human readers: a line for each address, with both indices and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from netsim.show.html import render

if TYPE_CHECKING:
    from netsim.explore.sobol_indices import Sensitivity

_HEADS = ["first order", "total"]


def title(found: Sensitivity) -> str:
    """What was asked, and the size of the samples."""
    size = f"{found.rows - found.lost} rows of {found.points // found.rows} points"
    return f"what {found.of} depends on, by {found.by}: {size}"


def text(found: Sensitivity) -> str:
    """A line for each address, and one about the points that failed."""
    width = max(map(len, found.addresses))
    lines = [title(found), "  ".join([" " * width, *(f"{head:^24}" for head in _HEADS)])]
    for number, address in enumerate(found.addresses):
        cells = (
            f"{found.indices[row, number]:8.3f} [{found.low[row, number]:6.3f}, {found.high[row, number]:5.3f}]"
            for row in range(2)
        )
        lines.append("  ".join([f"{address:<{width}}", *cells]))
    return "\n".join([*lines, *_failed(found)])


def html(found: Sensitivity) -> str:
    """A row for each address, with a bar for its total index."""
    rows = []
    for number, address in enumerate(found.addresses):
        cells = (
            f"{found.indices[row, number]:.3f} [{found.low[row, number]:.3f}, {found.high[row, number]:.3f}]"
            for row in range(2)
        )
        rows.append(((address, *cells), min(max(float(found.indices[1, number]), 0.0), 1.0)))
    return render("shares.html", title=title(found), heads=["address", *_HEADS], rows=rows, notes=[*_failed(found)])


def _failed(found: Sensitivity) -> Iterator[str]:
    if found.failed:
        points = f"{found.failed} of {found.points} points failed"
        yield f"{points}, and {found.lost} rows are left out: {found.why}"
