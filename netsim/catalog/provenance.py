"""Where a number comes from, and how that is kept apart from the number.

    tx_every = { value = 8, kind = "documented", source = "eepro100.c 1.09j-t" }

Such a table is a value with its source; any other table is a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from netsim.errors import scenario_error


class Provenance(BaseModel):
    """Where a number comes from. `range` is the lowest and the highest credible value of one that was not read
    anywhere, in the unit of the value. `rows` are the measured rows it was fitted to, with its standard error `sd`; of
    an assumed one, those that influenced its choice (ids, or patterns with *)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["standard", "documented", "derived", "fitted", "assumed", "imported"]
    source: str = ""
    reason: str = ""
    confidence: str | None = None
    range: tuple[float | str, float | str] | None = None
    rows: tuple[str, ...] = ()
    sd: float | None = None


# What numbers in models/ are; those of a user's own machine are imported.
MODEL_KINDS = tuple(kind for kind in get_args(Provenance.model_fields["kind"].annotation) if kind != "imported")
UNSOURCED = Provenance(kind="assumed", reason="no source given")


@dataclass(frozen=True)
class Sourced:
    """A value with its provenance, for code that hands both on (the fit writes its numbers this way)."""

    value: object
    provenance: Provenance


def split(data: object, address: str = "", bare: Provenance | None = None) -> tuple[Any, dict[str, Provenance]]:
    """Nested tables without their provenance, and the provenance by dotted address; `bare` is that of bare values."""
    found = _sourced(data, address)
    if isinstance(found, Sourced):
        return _split_children(found.value, address, None)[0], {address: found.provenance}
    return _split_children(data, address, bare)


def _split_children(data: object, address: str, bare: Provenance | None) -> tuple[Any, dict[str, Provenance]]:
    sources: dict[str, Provenance] = {}

    def child(key: object, value: object) -> Any:
        clean, below = split(value, f"{address}.{key}" if address else str(key), bare)
        sources.update(below)
        return clean

    if isinstance(data, Mapping):
        return {key: child(key, value) for key, value in data.items()}, sources
    if isinstance(data, list | tuple) and data:
        return [child(index, value) for index, value in enumerate(data)], sources
    return data, {address: bare} if bare and address else {}


def _sourced(data: object, address: str) -> object:
    """A table with a value and where it comes from as Sourced; anything else as it is."""
    if not is_sourced(data):
        return data
    about = {key: value for key, value in data.items() if key != "value"}
    try:
        return Sourced(data["value"], Provenance.model_validate(about))
    except ValidationError as error:
        raise scenario_error(error, ["value", *Provenance.model_fields]).at(address) from None


def is_sourced(data: object) -> TypeGuard[Mapping[str, Any]]:
    """One word about the source makes it one, so that a forgotten `kind` is missed there."""
    return isinstance(data, Mapping) and "value" in data and not data.keys().isdisjoint(Provenance.model_fields)
