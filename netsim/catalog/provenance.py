"""Where a number comes from, kept separate from the number.

    tx_every = { value = 8, kind = "documented", source = "eepro100.c 1.09j-t" }

Such a table is a value with its source; any other is an ordinary table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeGuard, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from netsim.errors import ScenarioError, scenario_error, show
from netsim.units.reading import TEXT


class Provenance(BaseModel):
    """Where a number comes from. `range` is the lowest and the highest credible value of a number that has no
    direct source, in the unit of the value. `rows` are the measured rows it was fitted to, with its standard deviation
    `sd`; for an assumed number, the rows that influenced its choice (ids, or patterns with *). `instead` are the values
    that could have been chosen, if they are not the ends of `range`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["standard", "documented", "derived", "fitted", "assumed", "imported"]
    source: str = ""
    reason: str = ""
    confidence: Literal["low", "medium", "high"] | None = None
    range: tuple[float | str, float | str] | None = None
    instead: tuple[bool | float | str, ...] = ()
    rows: tuple[str, ...] = ()
    sd: float | None = None

    @field_validator("range")
    @classmethod
    def _in_order(cls, ends: tuple[float | str, float | str] | None) -> tuple[float | str, float | str] | None:
        """Two numbers, the lower one first; those with different units are not compared."""
        if ends is not None:
            (low, unit), (high, other) = map(_number, ends)
            if unit == other and low > high:
                raise ScenarioError(f"{show(ends)} is not allowed; allowed: the lowest value, then the highest")
        return ends


def _number(end: float | str) -> tuple[float, str]:
    """A number and its unit. Raises ScenarioError."""
    match = TEXT.fullmatch(str(end))
    if match is None:
        raise ScenarioError(f"{show(end)} is not allowed; allowed: a number, with its unit if the value has one")
    return float(Fraction(match[1])), (match[2] or "").strip()


# What numbers in models/ are; those of a user's own machine are imported.
MODEL_KINDS = tuple(kind for kind in get_args(Provenance.model_fields["kind"].annotation) if kind != "imported")
UNSOURCED = Provenance(kind="assumed", reason="no source given")


@dataclass(frozen=True)
class Sourced:
    """A value with its provenance, for code that hands both on (the fit writes its numbers this way)."""

    value: object
    provenance: Provenance


class Plain(dict[str, Any]):
    """A table that is already split: neither its values nor those of tables in it have their provenance with them."""


class Unchanged(Plain):
    """The fields of the description `name`, most of them unchanged, with their `sources`."""

    def __init__(self, name: str, fields: Mapping[str, Any], sources: Mapping[str, Provenance]) -> None:
        super().__init__(fields)
        self.name, self.sources = name, sources


_LEAVES = frozenset([str, int, float, bool, type(None)])  # types of most values


def split(data: object, address: str = "", bare: Provenance | None = None) -> tuple[Any, dict[str, Provenance]]:
    """Nested tables without their provenance, and the provenance by dotted address; `bare` is that of bare values. The
    table belongs to the caller; those within it must not be changed."""
    if isinstance(data, Plain):
        return Plain(data), {**data.sources} if isinstance(data, Unchanged) else {}
    sources: dict[str, Provenance] = {}
    return _split(data, address, bare, sources), sources


def _split(data: object, address: str, bare: Provenance | None, sources: dict[str, Provenance]) -> Any:
    """Data without their provenance, which is put into `sources`."""
    found = data if type(data) in _LEAVES else _sourced(data, address)
    if isinstance(found, Sourced):
        sources[address] = found.provenance
        return _within(found.value, address, None, {})
    return _within(data, address, bare, sources)


def _within(data: object, address: str, bare: Provenance | None, sources: dict[str, Provenance]) -> Any:
    """The same for data that have no provenance themselves."""
    if isinstance(data, Plain):
        return data
    if type(data) not in _LEAVES:
        above = f"{address}." if address else ""
        if isinstance(data, Mapping):
            return Plain({key: _split(value, f"{above}{key}", bare, sources) for key, value in data.items()})
        if isinstance(data, list | tuple) and data:
            return [_split(value, f"{above}{index}", bare, sources) for index, value in enumerate(data)]
    if bare and address:
        sources[address] = bare
    return data


def _sourced(data: object, address: str) -> object:
    """A table with a value and where it comes from as Sourced; anything else as it is."""
    if not is_sourced(data):
        return data
    about = {key: value for key, value in data.items() if key != "value"}
    try:
        return Sourced(data["value"], Provenance.model_validate(about))
    except ValidationError as error:
        raise scenario_error(error, {"value": None} | Provenance.model_fields).at(address) from None


def is_sourced(data: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is a value with its source: any key of a source is enough, or none beside the value, so that a
    forgotten `kind` is reported."""
    if not isinstance(data, Mapping) or "value" not in data:
        return False
    return len(data) == 1 or not data.keys().isdisjoint(Provenance.model_fields)
