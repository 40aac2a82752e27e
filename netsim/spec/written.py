"""A spec as data that can be read back: leaves as text with units, with their sources, or as TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netsim.catalog.provenance import Provenance, Sourced
from netsim.spec.spelling import NONE, Spelling, spelling
from netsim.spec.tree import Tree, values
from netsim.units import Swept


def written(spec: Tree) -> dict[str, Any]:
    """The fields, with leaves as text with a unit; nested specs and swept numbers as they are."""
    fields = values(spec)
    nested = {name for name, value in fields.items() if _is_nested(value)}
    leaves = spec.model_dump(mode="json", exclude=nested)
    return {name: value if name in nested else leaves[name] for name, value in fields.items()}


def _is_nested(value: object) -> bool:
    return isinstance(value, Tree | Swept) or (isinstance(value, tuple) and any(map(_is_nested, value)))


def sourced(spec: Tree) -> dict[str, object]:
    """The fields with leaves as text and their sources, nested specs as they are."""
    sources = spec.own_provenance()
    return {name: _with_sources(value, name, sources) for name, value in written(spec).items()}


def _with_sources(value: object, address: str, sources: Mapping[str, Provenance]) -> object:
    if isinstance(value, Tree):
        return value
    if isinstance(value, list | tuple) and value:
        return [_with_sources(one, f"{address}.{index}", sources) for index, one in enumerate(value)]
    return Sourced(value, sources[address])


def as_toml(value: Any, spelled: Spelling | None = None) -> Any:
    """Written fields at all levels, without a None that neither TOML nor its field has a word for."""
    if isinstance(value, Tree):
        cls = type(value)
        table = {name: as_toml(one, spelling(cls, name)) for name, one in written(value).items()}
        return {name: one for name, one in table.items() if one is not None}
    if isinstance(value, list | tuple):
        return [as_toml(one) for one in value]
    return NONE if value is None and spelled and spelled(NONE) is None else value
