"""What a row's simulation rests on, strictly: whether anything in it was set with knowledge of the measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Literal

from experiments.row import Row
from netsim.catalog import Provenance

Basis = Literal["predicted", "chosen", "fitted"]
BASES: tuple[Basis, ...] = ("predicted", "chosen", "fitted")
Sources = Mapping[str, Provenance]  # by address


def basis(row: Row, sources: Sources) -> Basis:
    """ "fitted" if a parameter was fitted to the row, to one it is computed from, or to another of the same run;
    "chosen" if a structure or an assumption was chosen with knowledge of such a row; else "predicted"."""
    if fitted(row, sources):
        return "fitted"
    return "chosen" if chosen(row, sources) else "predicted"


def fitted(row: Row, sources: Sources) -> list[str]:
    """The addresses of the parameters that were fitted to the row."""
    return _seen(row, sources, "fitted")


def chosen(row: Row, sources: Sources) -> list[str]:
    """Choices made with knowledge of the row: addresses of assumed numbers, and choices in the report's scenarios."""
    return [*_seen(row, sources, "assumed"), *(one.text for one in row.chosen)]


def names(patterns: Iterable[str], row: Row) -> bool:
    """Whether a pattern, such as "beowulf/*/3c90x/*", names the row, one it is computed from, or another of its run."""
    return any(fnmatchcase(one, pattern) for one in (row.id, *row.parts, *row.beside) for pattern in patterns)


def _seen(row: Row, sources: Sources, kind: str) -> list[str]:
    return sorted(at for at, source in sources.items() if source.kind == kind and names(source.rows, row))
