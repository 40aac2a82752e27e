"""For notebooks: rows of a report, simulated on the spot, with the validation page's pictures of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING, Any

from experiments import figure, reports, table_picture
from experiments.digits import two
from experiments.page import worst
from experiments.row import Row
from experiments.run import Outcome, run
from experiments.section import Section
from netsim.show import palette
from netsim.show.described import Described

if TYPE_CHECKING:
    from IPython.display import Markdown

PIXELS = 4 / 3  # of a picture's point
MARGIN = 8  # points around a picture


def simulate(
    report: str, chosen: Callable[[Row], bool] = lambda row: True, settings: Mapping[str, Any] | None = None
) -> list[Outcome]:
    """The chosen rows of a report, coarser than on the page; `settings` (of `netsim.simulate`) shorten them further."""
    rows = [row for row in reports.rows([report]) if chosen(row)]
    return run([replace(row, settings={**row.settings, **(settings or {})}) for row in rows], quick=True)[0]


def tables(outcomes: Sequence[Outcome]) -> list[Described]:
    """A picture of each quantity of each table."""
    return [show(one.draw()) for one in table_picture.tables(outcomes)]


def figures(report: str, outcomes: Sequence[Outcome]) -> list[Described]:
    """Those of the report's own figures whose rows are all there."""
    known = {one.row.id for one in outcomes}
    chosen = [one for one in reports.REPORTS[report].figures() if known.issuperset(one.rows)]
    return [show(svg) for _, svg in figure.draw(chosen, outcomes, report)]


def show(picture: str) -> Described:
    """A single picture from the page, on the page's light background, so that it is readable on any."""
    colours = palette.LIGHT.variables
    text = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], picture)
    left, top, width, height = map(float, re.findall(r'viewBox="([^"]*)"', text)[0].split())
    left, top, width, height = left - MARGIN, top - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN
    ground = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{colours["page"]}"/>'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{PIXELS * width:.0f}" height="{PIXELS * height:.0f}" viewBox="{left:g} {top:g} {width:g} {height:g}"'
    )
    text = re.sub(r'<svg viewBox="[^"]*"', head, text, count=1)
    (alt,) = re.findall(r"<title>([^<]*)</title>", text)
    return Described("image/svg+xml", text.replace("</title>", f"</title>{ground}", 1).encode(), unescape(alt))


def misses(report: str, outcomes: Sequence[Outcome]) -> Markdown:
    """The rows outside their tolerance, the worst first, with their causes."""
    from IPython.display import Markdown

    section = Section(reports.REPORTS[report], outcomes)
    lines = []
    for _, one in worst([section]):
        error = one.row.scale.text(two(one.error, "+")).replace(" ", "\N{NO-BREAK SPACE}")
        lines.append(f"| {one.row.label}, {one.row.place} | {error} | {section.cause(one)} |")
    return Markdown("\n".join(["| row | error | cause |", "|---|---|---|", *lines]))  # type: ignore[no-untyped-call]

