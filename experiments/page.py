"""index.html: one page that stands alone, with pictures, the error table, and what it all rests on."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import netsim
from experiments import parameters, pictures, table
from experiments.parameters import Used
from experiments.run import Outcome
from experiments.study import Study

TEMPLATES = Path(__file__).parent / "templates"


def page(outcomes: Sequence[Outcome], numbers: Sequence[Used], studies: Sequence[tuple[Study, str]] = ()) -> str:
    """The page's text. `numbers` is what the rows take from models/, `studies` come with their pictures."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    counts = parameters.counts(numbers)
    sizes = [abs(one.error_percent) for one in outcomes]
    return environment.get_template("page.html").render(
        reports=list(dict.fromkeys(one.row.report for one in outcomes)),
        outcomes=outcomes,
        median=statistics.median(sizes),
        worst=max(outcomes, key=lambda one: abs(one.error_percent)),
        predicted=sum(not one.fitted for one in outcomes),
        counts=counts,
        fitted=_of_kind(numbers, "fitted"),
        assumed=_of_kind(numbers, "assumed"),
        groups=table.groups(outcomes),
        cpu=table.cpu,
        scatters=[Markup(svg) for svg in pictures.scatters(outcomes)],
        studies=[(study, Markup(svg)) for study, svg in studies],
        errors=Markup(pictures.errors(table.groups(outcomes))),
        version=netsim.__version__,
    )


def _of_kind(numbers: Sequence[Used], kind: str) -> list[Used]:
    return [one for one in numbers if one.provenance.kind == kind]
