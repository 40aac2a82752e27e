"""The keys that a spec's table may have, each described in words, with units, limits and its default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import isabstract
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from netsim import catalog
from netsim.machine.adapter import InstalledSpec
from netsim.scenario import Scenario
from netsim.spec import Spec
from netsim.spec.named_table import NamedTable, TableOf
from netsim.spec.variants import below
from netsim.units import QUANTITIES, Quantity, text

_PLAIN: dict[Any, str] = {
    str: "text", bool: "true or false", int: "a whole number", float: "a number",
    None: "none", True: "true", False: "false",
}  # fmt: skip


class TableKey(NamedTuple):
    """A key of a table, its description, and its default as it would be written."""

    name: str
    words: str
    default: str


def keys(spec: type[Spec]) -> list[TableKey]:
    """The keys of a spec."""
    return [
        TableKey(name, _words(one.annotation, one.metadata), _default(one)) for name, one in spec.model_fields.items()
    ]


def tables(tool: type[Scenario]) -> Iterator[tuple[str, type[Spec]]]:
    """A tool's tables and lists of tables, by name: each variant once. Specs with names in the catalogue are included
    only if they leave keys open, as hosts do."""
    found: dict[type[Spec], list[str]] = {}
    for name, field in tool.model_fields.items():
        for several, kind in _kinds(field.annotation, field.metadata):
            for one in [kind, *([] if kind.catalogue else below(kind))]:
                if not isabstract(one) and (kind.kept or not kind.catalogue):
                    found.setdefault(one, []).append(f"each of {name}" if several else name)
    yield from ((", ".join(names), kind) for kind, names in found.items())


def _kinds(annotation: Any, metadata: Sequence[Any]) -> Iterator[tuple[bool, type[Spec]]]:
    """The kinds of spec that a field may hold, and whether it may hold several."""
    if kind := _entries(metadata):
        yield True, kind
    elif isinstance(annotation, type) and issubclass(annotation, Spec) and not issubclass(annotation, NamedTable):
        yield False, annotation
    elif get_origin(annotation) is not Literal:
        several = get_origin(annotation) is tuple
        yield from ((several or more, kind) for arg in get_args(annotation) for more, kind in _kinds(arg, ()))


def open_keys(spec: type[Spec]) -> list[TableKey]:
    """The keys of a plain table; or, for a spec with names in the catalogue, those that a name leaves open."""
    return [key for key in keys(spec) if not spec.catalogue or key.name in spec.kept]


def _entries(metadata: Sequence[Any]) -> type[Spec] | None:
    """The spec of a named table's entries; None for any other field."""
    functions = [one.func for one in metadata if isinstance(one, BeforeValidator)]
    return next((one.kind for one in functions if isinstance(one, TableOf)), None)


def _words(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """The allowed values, in words."""
    args = get_args(annotation)
    if quantities := [one for one in metadata if isinstance(one, Quantity)]:
        rule = QUANTITIES[quantities[0].name]
        return f"{rule.name}, {rule.range}"
    if kind := _entries(metadata):
        return f"a table with names of your own, each {_words(kind)}"
    if hasattr(annotation, "__metadata__"):
        return _words(args[0], annotation.__metadata__)
    if get_origin(annotation) is Literal:
        return " or ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in args)
    if get_origin(annotation) is tuple:
        number = "" if Ellipsis in args else f" of {len(args)}"
        return f"a list{number}, each {_words(args[0])}"
    if type(None) in args:
        return " or ".join(_words(one) for one in args if one is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, InstalledSpec):
        return f'{annotation.__name__}: "card/driver", "card:ports/driver", or a table'
    if isinstance(annotation, type) and issubclass(annotation, Spec):
        return f"{annotation.__name__}: a table" + f", or a name in {annotation.catalogue}" * bool(annotation.catalogue)
    return _PLAIN.get(annotation, str(annotation))


def _default(field: FieldInfo) -> str:
    """The default as it would be written."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, NamedTable):
        return "none"
    if isinstance(value, Spec):
        return _name(value) if value.catalogue else ", ".join(f"{at} = {one}" for at, one in value.addresses().items())
    if isinstance(value, tuple):
        return f"{len(value)}: {value[0]} to {value[-1]}" if value else "empty"
    quantities = [one for one in field.metadata if isinstance(one, Quantity)]
    return text(quantities[0].name, value) if quantities and value is not None else _PLAIN.get(value, str(value))


def _name(spec: Spec) -> str:
    return next(one for one in catalog.names(spec.catalogue) if type(spec).from_name(one) == spec)
