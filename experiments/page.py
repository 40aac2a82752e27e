"""index.html: a self-contained page with pictures, the error table, and the numbers that all of it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from experiments import choices, digits, left_out_errors, origin, parameters, pictures, settle, table
from experiments.basis import BASES
from experiments.left_out_errors import Entry
from experiments.otherwise import unmoved
from experiments.parameters import Used
from experiments.run import Outcome
from experiments.section import Section
from experiments.settle import Settled
from netsim import catalog
from netsim.calibration import Calibration
from netsim.calibration.report import told_apart
from netsim.show import palette

TEMPLATES = Path(__file__).parent / "templates"


def page(
    sections: Sequence[Section],
    numbers: Sequence[Used],
    left_out: Sequence[Entry] = (),
    fit: Calibration | None = None,
    settled: Settled | None = None,
    scenarios: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The page's text. `numbers` are those that the rows of all sections take from models/. Cross-validation
    (`left_out`), calibration (`fit`), the numbers that matter most (`settled`), and the files of each row by its id
    (`scenarios`) may each be missing."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    environment.filters["svg"] = Markup
    environment.filters |= {"two": digits.two, "known": digits.known, "minus": digits.minus, "unit": digits.unit}
    outcomes = [one for section in sections for one in section.outcomes]
    kinds, ends = left_out_errors.kinds(left_out), left_out_errors.ends(left_out)
    return environment.get_template("page.html").render(
        sections=sections,
        outcomes=outcomes,
        measured=sum(not one.row.parts for one in outcomes),
        bases={basis: sum(one.basis == basis and not one.row.parts for one in outcomes) for basis in BASES},
        unmoved=len(unmoved(outcomes)),
        near=sum(one.near for one in outcomes),
        overview=pictures.overview(outcomes),
        scatters=pictures.scatters(outcomes),
        worst=worst(sections),
        known={one.row.id for one in outcomes},
        counts=parameters.counts(numbers),
        fitted=[one for one in numbers if one.provenance.kind == "fitted"],
        assumed=by_file([one for one in numbers if one.provenance.kind == "assumed"]),
        title=title,
        left_out=kinds,
        left_out_text=partial(left_out_errors.text, known=ends),
        left_out_picture=pictures.left_out(kinds) if kinds else "",
        none_left_out=left_out_errors.NONE_YET,
        fit=fit,
        strongest={one.name: fit.strongest(one) for one in fit.parameters} if fit else {},
        at_bounds=fit.at_bounds() if fit else [],
        confused=[told_apart(group) for group in fit.confused] if fit else [],
        settled=settled,
        settle_least=settle.LEAST,
        settle_shown=settle.SHOWN,
        settle_try=settle.TRY,
        groups=table.groups,
        cpu=table.cpu,
        questions=choices.questions(outcomes),
        tie=choices.TIE,
        scenarios=scenarios or {},
        origin=origin.origin(),
        light=palette.LIGHT,
        dark=palette.DARK,
    )


def anchor(name: str) -> str:
    """A name as an element's id."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-")


def worst(sections: Sequence[Section]) -> list[tuple[Section, Outcome]]:
    """The rows outside their tolerance, the largest multiple first."""
    beyond = [(section, one) for section in sections for one in section.outcomes if not one.near]
    return sorted(beyond, key=lambda found: -abs(found[1].error) / found[1].row.tolerance)


def by_file(numbers: Sequence[Used]) -> list[tuple[str, list[Used]]]:
    """Numbers, sorted by name, grouped by file."""
    return [(file, list(own)) for file, own in groupby(numbers, key=lambda one: one.file)]


def title(one: Used) -> str:
    """The title of the file that has the number."""
    category, name = one.name.partition(":")[0].split("/")
    return catalog.notes(category, name)["title"]
