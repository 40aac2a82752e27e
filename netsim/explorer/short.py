"""A scenario as a user would write it: names of the catalogue, and differences from them and from defaults."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import tomlkit

from netsim.catalog.toml_file import parse_toml
from netsim.errors import ScenarioError
from netsim.machine.adapter import InstalledSpec
from netsim.scenario import Scenario
from netsim.spec import NONE, Spec
from netsim.spec.named_table import NamedTable
from netsim.spec.spelling import is_tag
from netsim.spec.tree import Tree, values
from netsim.spec.written import as_toml, written


@lru_cache(maxsize=4)
def short(scenario: Scenario) -> dict[str, Any]:
    """Its tables, without the tool's name; complete ones where short ones would not be equivalent."""
    table = _fields(scenario)
    try:
        same = type(scenario).model_validate(table) == scenario
    except ScenarioError:
        same = False
    return table if same else as_toml(scenario)


def short_toml(scenario: Scenario) -> str:
    """TOML that `netsim run` reads back as an equal scenario."""
    tables = {"tool": scenario.tool(), **_tables_last(short(scenario))}
    text = tomlkit.dumps(tables)
    return text if parse_toml(text) == tables else scenario.to_toml()


def _tables_last(table: dict[str, Any]) -> dict[str, Any]:
    """In TOML, plain keys precede tables, and both precede lists of tables."""
    inner: dict[str, Any] = {key: _tables_last(one) if isinstance(one, dict) else one for key, one in table.items()}
    lists: dict[str, Any] = {
        key: [_tables_last(one) for one in each] for key, each in inner.items() if _is_list_of_tables(each)
    }
    return dict(sorted((inner | lists).items(), key=lambda item: isinstance(item[1], dict) + 2 * (item[0] in lists)))


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


# ---- the text of a spec ----


def _short(value: Any) -> Any:
    """The value, as a name if that is sufficient."""
    if isinstance(value, list | tuple):
        return [_short(one) for one in value]
    if not isinstance(value, Tree):
        return NONE if value is None else value
    found = _named(value)
    if found is None:
        return _fields(value)
    name, base = found
    more = {key: NONE if one is None else _short(one) for key, one in _kept(value)}
    more |= _difference(base, value, skip=(*more, *value.kept))
    return {"model": name, **more} if more else name


def _kept(value: Tree) -> Iterator[tuple[str, Any]]:
    """The values that a name leaves open, such as a host's system and adapters."""
    fields = type(value).model_fields
    for name in value.kept:
        one = value.__dict__[name]
        if fields[name].is_required() or one != fields[name].get_default(call_default_factory=True):
            yield name, one


def _named(value: Tree) -> tuple[str, Tree] | None:
    """The name that represents it in a file, and the value of that name; None without a name."""
    category, _, name = value.catalogue_name.partition("/")
    try:
        if isinstance(value, InstalledSpec):
            return _adapter(value) if category else None
        if not isinstance(value, Spec) or not category or category != type(value).catalogue:
            return None
        more = {key: value.__dict__[key] for key in value.kept}
        return name, type(value).from_catalog(category, name, **more)
    except ScenarioError:  # such as a file that no longer exists
        return None


def _adapter(value: InstalledSpec) -> tuple[str, Tree]:
    """Card, ports in use and driver by one name."""
    card, driver = (one.catalogue_name.partition("/")[2] for one in (value, value.driver))
    base = InstalledSpec.from_name(f"{card}/{driver}")
    name = f"{card}/{driver}" if base.ports == value.ports else f"{card}:{value.ports}/{driver}"
    return name, InstalledSpec.from_name(name)


def _fields(value: Tree) -> dict[str, Any]:
    """All but defaults; also tags, which identify the variant."""
    fields = type(value).model_fields
    tag = value.tag if isinstance(value, Spec) else ""
    shown = {
        name: one
        for name, one in written(value).items()
        if name == tag or is_tag(fields[name].annotation) or isinstance(value, NamedTable)
        or fields[name].is_required() or value.__dict__[name] != fields[name].get_default(call_default_factory=True)
    }  # fmt: skip
    return {name: _short(one) for name, one in shown.items()}


def _difference(base: Tree, value: Tree, skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields that differ from `base`."""
    if type(base) is not type(value):
        return _fields(value)
    texts, old = written(value), values(base)
    found = {}
    for name, one in values(value).items():
        if name in skip or one == old[name]:
            continue
        before = old[name]
        if isinstance(one, Tree) and type(one) is type(before) and one.catalogue_name == before.catalogue_name:
            found[name] = _difference(before, one)
        else:
            found[name] = _short(texts[name])
    return found
