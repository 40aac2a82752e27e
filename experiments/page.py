"""index.html: one page that stands alone, with pictures, the error table, and what it all rests on."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import netsim
from experiments import parameters, pictures, table
from experiments.comparison import Compared
from experiments.computed import Computed
from experiments.figure import Figure
from experiments.parameters import Used
from experiments.run import Outcome
from experiments.statement import Judged
from experiments.study import Study

TEMPLATES = Path(__file__).parent / "templates"


def page(
    outcomes: Sequence[Outcome],
    numbers: Sequence[Used],
    studies: Sequence[tuple[Study, str]] = (),
    compared: Sequence[Compared] = (),
    figures: Sequence[tuple[Figure, str]] = (),
    computed: Sequence[Computed] = (),
    judged: Sequence[Judged] = (),
) -> str:
    """The page's text. `numbers` is what the rows take from models/; `studies` and reports' own `figures` come with
    their pictures; `compared`, `judged` and `computed` is what reports say of their rows and of their curves,
    and what they worked out."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    counts = parameters.counts(numbers)
    return environment.get_template("page.html").render(
        reports=list(dict.fromkeys(one.row.report for one in outcomes)),
        outcomes=outcomes,
        errors_found=list(_errors_found(outcomes)),
        measured=sum(not one.row.parts for one in outcomes),
        predicted=sum(not one.fitted for one in outcomes),
        counts=counts,
        fitted=_of_kind(numbers, "fitted"),
        assumed=_of_kind(numbers, "assumed"),
        groups=table.groups(outcomes),
        quantity=table.quantity,
        compared=compared,
        computed=computed,
        judged=judged,
        figures=[(figure, Markup(svg)) for figure, svg in figures],
        cpu=table.cpu,
        scatters=[Markup(svg) for svg in pictures.scatters(outcomes)],
        studies=[(study, Markup(svg)) for study, svg in studies],
        errors=[Markup(svg) for svg in pictures.errors(table.groups(outcomes))],
        version=netsim.__version__,
    )


def _errors_found(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """(title, text) of the median and the largest error on each scale."""
    kinds = table.by_scale(outcomes)
    for scale, rows in kinds.items():
        sizes = [abs(one.error) for one in rows]
        of = f", {table.quantities(rows)}" if len(kinds) > 1 else ""
        yield f"median error{of}", scale.text(f"{statistics.median(sizes):.2f}")
        yield f"largest error{of}", scale.text(f"{max(sizes):.2f}")


def _of_kind(numbers: Sequence[Used], kind: str) -> list[Used]:
    return [one for one in numbers if one.provenance.kind == kind]
