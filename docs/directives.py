"""What is made of netsim itself whenever the documentation is built: tables of a spec's keys and of the catalogue, and
signatures that say what a user may write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import isabstract
from typing import Any, Literal, get_args, get_origin

from docutils import nodes
from docutils.parsers.rst import Directive
from pydantic.fields import FieldInfo
from sphinx.application import Sphinx

from netsim import catalog
from netsim.catalog import Provenance
from netsim.spec import Spec
from netsim.units import QUANTITIES, Quantity, text

MOST = 7  # fields of what a user makes himself
SOURCES = get_args(Provenance.model_fields["kind"].annotation)
PLAIN: dict[Any, str] = {
    str: "text", bool: "true or false", int: "a whole number", float: "a number",
    None: "none", True: "true", False: "false",
}  # fmt: skip


class FieldsOf(Directive):
    """`fields:: netsim.Netperf`: what a spec's table may have, in which units, and its default."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table."""
        module, _, name = self.arguments[0].rpartition(".")
        spec: type[Spec] = getattr(import_module(module), name)
        keys = spec.model_fields.items()
        rows = [(key, _words(one.annotation, one.metadata), _default(one)) for key, one in keys]
        return [_table(("key", "what it is", "default"), rows)]


def _words(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """What may be written, in words."""
    args = get_args(annotation)
    if quantities := [one for one in metadata if isinstance(one, Quantity)]:
        rule = QUANTITIES[quantities[0].name]
        return f"{rule.name}, {rule.range}"
    if hasattr(annotation, "__metadata__"):
        return _words(args[0], annotation.__metadata__)
    if get_origin(annotation) is Literal:
        return " or ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in args)
    if get_origin(annotation) is tuple:
        return f"a list, each {_words(args[0])}"
    if type(None) in args:
        return " or ".join(_words(one) for one in args if one is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, Spec):
        return f"{annotation.__name__}: a table" + f", or a name in {annotation.catalogue}" * bool(annotation.catalogue)
    return PLAIN.get(annotation, str(annotation))


def _default(field: FieldInfo) -> str:
    """The default, as it would be written."""
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Spec):
        return _name(value) if value.catalogue else ", ".join(f"{at} = {one}" for at, one in value.addresses().items())
    if isinstance(value, tuple):
        return f"{len(value)}: {value[0]} to {value[-1]}" if value else "empty"
    quantities = [one for one in field.metadata if isinstance(one, Quantity)]
    return text(quantities[0].name, value) if quantities and value is not None else PLAIN.get(value, str(value))


def _name(spec: Spec) -> str:
    return next(one for one in catalog.names(spec.catalogue) if type(spec).from_name(one) == spec)


class Catalogue(Directive):
    """`catalogue::`: for every category of models a table of what there is, and how its numbers are known."""

    def run(self) -> list[nodes.Node]:
        """A heading and a table for each category."""
        return [node for category in catalog.categories() for node in self._category(category)]

    def _category(self, category: str) -> Iterator[nodes.Node]:
        yield nodes.rubric(text=category)
        yield _table(("name", "title", *SOURCES), [_model(category, name) for name in catalog.names(category)])


def _model(category: str, name: str) -> tuple[str, ...]:
    """A row of the table: the numbers of each provenance."""
    counts = Counter(source.kind for _, _, source in catalog.describe(f"{category}/{name}"))
    return (name, catalog.notes(category, name)["title"], *(str(counts[one] or "") for one in SOURCES))


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
