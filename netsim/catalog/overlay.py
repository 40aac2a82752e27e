"""Tables laid over tables: a file over its base, and temporarily other values over a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from netsim.catalog.toml_file import Table
from netsim.errors import ScenarioError, check_type, show

Overlay = Mapping[tuple[str, str], Mapping[str, object]]  # (category, name) -> address in that file -> value
_EXAMPLE = '{"drivers/3c59x": {"rx_cycles": 5000}}'


class _InForce:
    """An overlay, and the files it has been laid over: (category, name) -> own tables, tables with the overlay."""

    def __init__(self, values: Overlay) -> None:
        self.values = values
        self.laid: dict[tuple[str, str], tuple[Table, Table]] = {}


_in_force: ContextVar[_InForce] = ContextVar("overlay")


def laid_over(below: Table, above: Mapping[str, Any]) -> Table:
    """Two tables as one, the upper one's values winning; a number is replaced together with its provenance."""
    merged = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        deep = both and "value" not in value and "value" not in below[key]
        merged[key] = laid_over(below[key], value) if deep else copy.deepcopy(value)
    return merged


@contextmanager
def overlay(values: Overlay | Mapping[str, Mapping[str, object]]) -> Iterator[None]:
    """Within it, files are read as if they had these values (texts, numbers or Sourced) at these addresses. A file is
    named as "drivers/3c59x", or ("drivers", "3c59x").

    A calibration tries its candidates this way. It replaces any overlay around it. Raises ScenarioError if there is no
    such file.
    """
    token = _in_force.set(_InForce(_by_file(values)))
    try:
        yield
    finally:
        _in_force.reset(token)


def _by_file(values: Mapping[Any, Mapping[str, object]]) -> Overlay:
    """The values by category and name. Raises ScenarioError."""
    from netsim.catalog import models  # here, because it reads files through this module

    check_type("values", values, Mapping, f"a table such as {_EXAMPLE}")
    found: dict[tuple[str, str], dict[str, object]] = {}
    for file, changes in values.items():
        match file:
            case str():
                key = models.located(file)
            case (str() as category, str() as name):
                key = category, models.path(category, name).stem
            case _:
                raise ScenarioError(f"{show(file)} is not a file of models; allowed: such as {_EXAMPLE}")
        check_type("/".join(key), changes, Mapping, f"a table of addresses and values, as in {_EXAMPLE}")
        found.setdefault(key, {}).update(changes)
    return found


def overlaid(category: str, name: str, own: Table) -> Table:
    """A file's own tables with the values of the overlay in force; the same object as long as both are the same."""
    force = _in_force.get(None)
    if force is None or not (changes := force.values.get((category, name))):
        return own
    kept = force.laid.get((category, name))
    if kept is None or kept[0] is not own:
        kept = force.laid[category, name] = own, _changed(own, changes)
    return kept[1]


def _changed(own: Table, changes: Mapping[str, object]) -> Table:
    for address, value in changes.items():
        *tables, key = address.split(".")
        nested: Table = {key: value}
        for table in reversed(tables):
            nested = {table: nested}
        own = laid_over(own, nested)
    return own
