"""What is made of netsim itself whenever the documentation is built: tables of a spec's keys and of the catalogue, and
signatures that say what a user may write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import isabstract
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from netsim import catalog
from netsim.catalog.provenance import MODEL_KINDS
from netsim.show.keys import keys
from netsim.spec import Spec

MOST = 7  # fields of what a user makes himself


class FieldsOf(Directive):
    """`fields:: netsim.Netperf`: what a spec's table may have, in which units, and its default."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table."""
        module, _, name = self.arguments[0].rpartition(".")
        spec: type[Spec] = getattr(import_module(module), name)
        return [_table(("key", "what it is", "default"), keys(spec))]


class Catalogue(Directive):
    """`catalogue::`: for every category of models a table of what there is, and how its numbers are known."""

    def run(self) -> list[nodes.Node]:
        """A heading and a table for each category."""
        return [node for category in catalog.categories() for node in self._category(category)]

    def _category(self, category: str) -> Iterator[nodes.Node]:
        yield nodes.rubric(text=category)
        yield _table(("name", "title", *MODEL_KINDS), [_model(category, name) for name in catalog.names(category)])


def _model(category: str, name: str) -> tuple[str, ...]:
    """A row of the table: the numbers of each provenance."""
    counts = Counter(source.kind for _, _, source in catalog.describe(f"{category}/{name}"))
    return (name, catalog.notes(category, name)["title"], *(str(counts[one] or "") for one in MODEL_KINDS))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> nodes.Node:
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *(_row(one, literal=True) for one in rows))
    return nodes.table("", group, classes=["plain"])


def _row(cells: Sequence[str], literal: bool = False) -> nodes.row:
    first, *rest = cells
    start = nodes.literal(text=first) if literal else nodes.Text(first)
    entries = [nodes.entry("", nodes.paragraph("", "", start))]
    return nodes.row("", *entries, *(nodes.entry("", nodes.paragraph(text=one)) for one in rest))


def _signature(app: Sphinx, what: str, name: str, obj: Any, *rest: Any) -> tuple[str, str] | None:
    """How a class is made, where that is not what it takes: specs by their keys, of which there are tables; results not
    at all."""
    if what == "class" and issubclass(obj, Spec):
        keys = ", ".join([*obj.positional, "**keys"])
        return ("" if isabstract(obj) or obj is Spec else f"({keys})"), ""
    return ("", "") if what == "class" and is_dataclass(obj) and len(fields(obj)) > MOST else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Make all this known to Sphinx."""
    app.add_directive("fields", FieldsOf)
    app.add_directive("catalogue", Catalogue)
    app.connect("autodoc-process-signature", _signature)
    return {"parallel_read_safe": True}
