"""For notebooks: rows of a report, simulated on the spot, and pictures of them as the validation page has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from experiments import figure, reports, table_picture
from experiments.page import TEMPLATES, worst
from experiments.row import Row
from experiments.run import Outcome, run
from experiments.section import Section

if TYPE_CHECKING:
    from IPython.display import SVG, Markdown

PIXELS = 4 / 3  # of a picture's point
MARGIN = 8  # points around a picture


def simulate(
    report: str, chosen: Callable[[Row], bool] = lambda row: True, settings: Mapping[str, Any] | None = None
) -> list[Outcome]:
    """The chosen rows of a report, coarser than on the page; `settings` (of `netsim.simulate`) cut them shorter yet."""
    rows = [row for row in reports.rows([report]) if chosen(row)]
    return run([replace(row, settings={**row.settings, **(settings or {})}) for row in rows], quick=True)[0]


def tables(outcomes: Sequence[Outcome]) -> list[SVG]:
    """A picture of each quantity of each table."""
    return [show(one.draw()) for one in table_picture.tables(outcomes)]


def figures(report: str, outcomes: Sequence[Outcome]) -> list[SVG]:
    """The report's own figures, those of which every row is there."""
    known = {one.row.id for one in outcomes}
    chosen = [one for one in reports.REPORTS[report].figures() if known.issuperset(one.rows)]
    return [show(svg) for _, svg in figure.draw(chosen, outcomes, report)]


def show(picture: str) -> SVG:
    """A picture of the page by itself, on the page's light ground, so that it can be read on any."""
    from IPython.display import SVG  # here, because only notebooks need it

    colours = _light()
    text = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], picture)
    left, top, width, height = map(float, re.findall(r'viewBox="([^"]*)"', text)[0].split())
    left, top, width, height = left - MARGIN, top - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN
    ground = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{colours["page"]}"/>'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{PIXELS * width:.0f}" height="{PIXELS * height:.0f}" viewBox="{left:g} {top:g} {width:g} {height:g}"'
    )
    text = re.sub(r'<svg viewBox="[^"]*"', head, text, count=1)
    return SVG(text.replace("</title>", f"</title>{ground}", 1))  # type: ignore[no-untyped-call]


def misses(report: str, outcomes: Sequence[Outcome]) -> Markdown:
    """Those farther off than is allowed, the worst first, with their causes."""
    from IPython.display import Markdown

    section = Section(reports.REPORTS[report], outcomes)
    lines = []
    for _, one in worst([section]):
        error = one.row.scale.text(f"{one.error:+.2g}").replace(" ", "\N{NO-BREAK SPACE}")
        lines.append(f"| {one.row.label}, {one.row.place} | {error} | {section.cause(one)} |")
    return Markdown("\n".join(["| row | error | cause |", "|---|---|---|", *lines]))  # type: ignore[no-untyped-call]


def _light() -> dict[str, str]:
    """The page's colours in light: variable -> colour."""
    root = (TEMPLATES / "page.css").read_text(encoding="utf-8").partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#\w+);", root))
