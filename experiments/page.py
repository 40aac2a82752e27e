"""index.html: one page that stands alone, with pictures, the error table, and what it all rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import netsim
from experiments import parameters, pictures, table
from experiments.parameters import Used
from experiments.run import Outcome
from experiments.section import Section
from netsim import catalog
from netsim.compiled import VARIANT

TEMPLATES = Path(__file__).parent / "templates"


def page(sections: Sequence[Section], numbers: Sequence[Used]) -> str:
    """The page's text. `numbers` is what the rows of all sections take from models/."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    environment.filters["svg"] = Markup
    outcomes = [one for section in sections for one in section.outcomes]
    return environment.get_template("page.html").render(
        sections=sections,
        outcomes=outcomes,
        measured=sum(not one.row.parts for one in outcomes),
        predicted=sum(not one.fitted for one in outcomes),
        near=sum(one.near for one in outcomes),
        overview=pictures.overview(outcomes),
        scatters=pictures.scatters(outcomes),
        worst=worst(sections),
        known={one.row.id for one in outcomes},
        counts=parameters.counts(numbers),
        fitted=[one for one in numbers if one.provenance.kind == "fitted"],
        assumed=by_file([one for one in numbers if one.provenance.kind == "assumed"]),
        title=title,
        quantity=table.quantity,
        groups=table.groups,
        cpu=table.cpu,
        version=netsim.__version__,
        variant=VARIANT,
    )


def anchor(name: str) -> str:
    """A name as an element's id."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-")


def worst(sections: Sequence[Section]) -> list[tuple[Section, Outcome]]:
    """The rows beyond their tolerance, those first that are beyond it most times."""
    beyond = [(section, one) for section in sections for one in section.outcomes if not one.near]
    return sorted(beyond, key=lambda found: -abs(found[1].error) / found[1].row.tolerance)


def by_file(numbers: Sequence[Used]) -> list[tuple[str, list[Used]]]:
    """Numbers, which come by name, file by file."""
    return [(file, list(own)) for file, own in groupby(numbers, key=lambda one: one.file)]


def title(one: Used) -> str:
    """What the file that a number stands in says that it is about."""
    category, name = one.name.partition(":")[0].split("/")
    return catalog.notes(category, name)["title"]
