"""Tables laid over tables: a file over its base, and for a while other values over a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from netsim.toml import Table

Overlay = Mapping[tuple[str, str], Mapping[str, object]]  # (kind, name) -> address in that file -> value
_overlays: ContextVar[Overlay] = ContextVar("overlays")


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
    """Within it, files read as if they said these values (texts, numbers or Sourced) at these addresses.

    A calibration tries its candidates this way. It takes the place of an overlay around it.
    """
    token = _overlays.set(values)
    try:
        yield
    finally:
        _overlays.reset(token)


def overlaid(kind: str, name: str, own: Table) -> Table:
    """A file's own tables with what the overlay in force says of them."""
    for address, value in _overlays.get({}).get((kind, name), {}).items():
        *tables, key = address.split(".")
        nested: Table = {key: value}
        for table in reversed(tables):
            nested = {table: nested}
        own = laid_over(own, nested)
    return own
