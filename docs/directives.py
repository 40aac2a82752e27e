"""Content generated from netsim itself when the documentation is built: tables of a spec's keys and of the catalogue,
and signatures that show what a user may write."""

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

MOST = 7  # fields of a class that users construct themselves


class FieldsOf(Directive):
    """`fields:: netsim.Netperf`: the keys of a spec's table, with their units and defaults."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table."""
        module, _, name = self.arguments[0].rpartition(".")
        spec: type[Spec] = getattr(import_module(module), name)
        return [_table(("key", "what it is", "default"), keys(spec))]


class Catalogue(Directive):
    """`catalogue::`: for every category, a table of its models and of the provenance of their numbers."""

    def run(self) -> list[nodes.Node]:
        """A heading and a table for each category."""
        return [node for category in catalog.categories() for node in self._category(category)]

    def _category(self, category: str) -> Iterator[nodes.Node]:
        yield nodes.rubric(text=category)
        yield _table(("name", "title", *MODEL_KINDS), [_model(category, name) for name in catalog.names(category)])


def _model(category: str, name: str) -> tuple[str, ...]:
    """A row of the table: how many numbers have each kind of provenance."""
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
    """The signature to show for a class instead of its own: specs take their keys, which have tables; results have no
    signature."""
    if what == "class" and issubclass(obj, Spec):
        keys = ", ".join([*obj.positional, "**keys"])
        return ("" if isabstract(obj) or obj is Spec else f"({keys})"), ""
    return ("", "") if what == "class" and is_dataclass(obj) and len(fields(obj)) > MOST else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of this with Sphinx."""
    app.add_directive("fields", FieldsOf)
    app.add_directive("catalogue", Catalogue)
    app.connect("autodoc-process-signature", _signature)
    return {"parallel_read_safe": True}
