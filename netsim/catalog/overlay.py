"""Tables laid over tables: a file over its base, and temporarily other values over a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from netsim.catalog.toml_file import Table

Overlay = Mapping[tuple[str, str], Mapping[str, object]]  # (category, name) -> address in that file -> value


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
def overlay(values: Overlay) -> Iterator[None]:
    """Within it, files are read as if they had these values (texts, numbers or Sourced) at these addresses.

    A calibration tries its candidates this way. It replaces any overlay around it.
    """
    token = _in_force.set(_InForce(values))
    try:
        yield
    finally:
        _in_force.reset(token)


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
