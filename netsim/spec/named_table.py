"""A table of things of one kind, with names that the user chooses: `hosts.server`, `links.uplink`.

Each set of names has its own class, with a field for each name. So a name is part of an address like any other, and a
table is compared, changed, written and read back like every spec.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, TypeVar, cast

from pydantic import create_model

from netsim.errors import ScenarioError, show
from netsim.spec.spec import Spec
from netsim.spec.tree import values

T = TypeVar("T", bound=Spec)

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TAKEN = {"model", "value"}  # in any table: `model` names what it is laid over, `value` marks a value with its source


class NamedTable(Spec):
    """Things of one `kind`, in the order of their names, "client2" before "client10", whatever order they were given
    in: equal tables make equal runs."""

    kind: ClassVar[type[Spec]]

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty, (self.kind, tuple(values(self))), self.__getstate__()


def by_name(table: NamedTable, kind: type[T]) -> dict[str, T]:
    """The things in a table of this `kind`, by name."""
    assert table.kind is kind
    return cast(dict[str, T], values(table))


@dataclass(frozen=True)
class TableOf:
    """Reads a table of a `kind` from data: `Annotated[NamedTable, BeforeValidator(TableOf(LinkSpec))]`."""

    kind: type[Spec]

    def __call__(self, data: object) -> NamedTable:
        """Raises ScenarioError."""
        if isinstance(data, NamedTable):
            data = values(data)
        if not isinstance(data, Mapping):
            raise ScenarioError(f"{show(data)} is not allowed; allowed: a table with a name for each")
        return _class(self.kind, _checked(data)).model_validate(data)


def _checked(data: Iterable[object]) -> tuple[str, ...]:
    """The names, sorted. Raises ScenarioError for a wrong one."""
    for name in data:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            text = f"{show(name)} is not a name; allowed: a letter, then letters, digits, - and _"
            raise ScenarioError(text)
        if name in _TAKEN or hasattr(NamedTable, name):
            raise ScenarioError("this name is reserved; allowed: any other", address=name)
    return tuple(sorted(cast(Iterable[str], data), key=_counted))


def _counted(name: str) -> tuple[list[tuple[str, int]], str]:
    """The sort key of a name: numbers in it count by value."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)], name


@cache
def _class(kind: type[Spec], names: tuple[str, ...]) -> type[NamedTable]:
    fields: dict[str, Any] = dict.fromkeys(names, (kind, ...))
    made = create_model(f"{kind.__name__}Table", __base__=NamedTable, **fields)
    made.kind = kind
    return made


def _empty(kind: type[Spec], names: tuple[str, ...]) -> NamedTable:
    """An empty table, which unpickling fills."""
    cls = _class(kind, names)
    return cls.__new__(cls)
