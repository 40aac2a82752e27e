"""The points of a sweep: axes are checked against a scenario once, then each point is found by its place.

All errors of single values are reported here, before anything runs: an address that doesn't exist, a wrong unit, an
unknown name. An error of a combination (an mtu that the link of that point doesn't carry) is a failure of that point. A
point is made when it is needed, so a million of them take no memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, check_type, plain
from netsim.explore.axes import Axes, Block, Given, Listed
from netsim.explore.field import checked, name_of, text_of, unit_of
from netsim.explore.limits import Limits, uniform
from netsim.spec import Spec
from netsim.spec.changes import above
from netsim.spec.field_types import annotation_at, quantity_at, quantity_of
from netsim.units import parse

Shown = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """The `values` of one `address` as `Spec.replace` takes them, and as tables have them (`shown`): numbers in base
    units, names as they were given, specs by their hash. `quantity` is that of the numbers; "" for names and the
    like."""

    address: str
    values: Sequence[object]
    shown: Sequence[Shown]
    quantity: str = ""

    @property
    def name(self) -> str:
        """Its name in tables: "mtu [B]"."""
        return name_of(self.address, self.quantity)

    @property
    def unit(self) -> str:
        """The base unit of its numbers; "" if they have none."""
        return unit_of(self.quantity)

    @property
    def is_number(self) -> bool:
        """Whether all its values are numbers, with or without a unit."""
        return all(isinstance(one, int | float) and not isinstance(one, bool) for one in self.shown)

    def shown_as(self, value: object) -> Shown:
        """A value as tables have it, if it is one of these."""
        value = plain(value)
        return _shown(value, _number(self.quantity, value))

    @cached_property
    def texts(self) -> Sequence[str]:
        """Its values as people write them: to a few digits, unless some that differ would look alike."""
        few, exact = ([text_of(self.quantity, one, exactly) for one in self.shown] for exactly in (False, True))
        return few if len(set(few)) == len(set(exact)) else exact

    @cached_property
    def numbers(self) -> NDArray[Any] | None:
        """All values as numbers in base units, whole ones beyond numpy's range as Python's; None if some are not
        numbers."""
        if not self.quantity or not self.is_number:
            return None
        try:
            return np.array(self.shown, float if isinstance(self.shown[0], float) else np.int64)
        except OverflowError:
            return np.array(self.shown, object)

    @cached_property
    def codes(self) -> NDArray[Any]:
        """Numbers that are equal for equal values, and for no others."""
        if self.numbers is not None:
            return self.numbers
        known: dict[object, int] = {}
        return np.array([known.setdefault(_key(value, at), len(known)) for at, value in enumerate(self.values)])


@dataclass(frozen=True)
class Points:
    """Every combination of the entries of `dims`, the last one fastest. A dimension has one column, or several of equal
    length whose values belong together."""

    dims: tuple[tuple[Column, ...], ...]

    @classmethod
    def of(cls, scenario: Spec, given: Given) -> Points:
        """The points of axes, in any form that a user may give. Raises ScenarioError if any of their values is
        wrong."""
        check_type("scenario", scenario, Spec, "a measuring tool's test, such as Netperf")
        axes = Axes.of(given)
        blocks = [block for block in axes.blocks if isinstance(block, Listed)]
        listed = {address: values for block in blocks for address, values in block.items()}
        return cls(tuple(tuple(_columns(scenario, block, listed)) for block in axes.blocks))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many entries each dimension has."""
        return tuple(len(columns[0].values) for columns in self.dims)

    def __len__(self) -> int:
        return prod(self.shape)

    @property
    def columns(self) -> Iterator[tuple[int, Column]]:
        """All columns, each with the number of its dimension."""
        return ((number, column) for number, columns in enumerate(self.dims) for column in columns)

    def place(self, number: int) -> tuple[int, ...]:
        """The place of the point with this number, from 0: its entry in each dimension."""
        found = []
        for length in reversed(self.shape):
            number, place = divmod(number, length)
            found.append(place)
        return tuple(reversed(found))

    def changes(self, place: tuple[int, ...]) -> dict[str, object]:
        """One point, as changes to the scenario."""
        return {column.address: column.values[place[number]] for number, column in self.columns}

    def shown(self, place: tuple[int, ...]) -> dict[str, Shown]:
        """One point, as tables have it."""
        return {column.address: column.shown[place[number]] for number, column in self.columns}

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the addresses and their values, whatever the scenario."""
        found = hashlib.sha256()
        for columns in self.dims:
            found.update(json.dumps([[column.address for column in columns], len(columns[0].values)]).encode())
            for row in zip(*(column.shown for column in columns), strict=True):
                found.update(json.dumps(row).encode())
        return found.hexdigest()


def _columns(scenario: Spec, block: Block, listed: Mapping[str, Sequence[object]]) -> Iterator[Column]:
    if isinstance(block, Listed):
        for address, values in block.items():
            yield _column(scenario, address, values, listed)
        return
    shares = uniform(block.method, len(block.addresses), block.number, block.seed)
    for number, (address, ends) in enumerate(zip(block.addresses, block.limits, strict=True)):
        yield sampled(Limits.of(scenario, address, ends), shares[:, number])


def sampled(limits: Limits, shares: NDArray[Any]) -> Column:
    """The numbers at these shares of the range between limits."""
    values = limits.at(shares)
    shown = [int(one) if isinstance(one, int) else one for one in values]
    return Column(limits.address, values, shown, limits.quantity)


def _column(scenario: Spec, address: str, values: Sequence[object], listed: Mapping[str, Sequence[object]]) -> Column:
    if whole := max((one for one in above(address) if one in listed), key=len, default=""):
        quantity = _quantity_within(scenario, address, whole, listed[whole])
        read = [_number(quantity, value) for value in values]
    else:
        annotation = annotation_at(scenario, address)
        quantity = quantity_of(annotation)
        read = [_read(scenario, address, annotation, quantity, value) for value in values]
    return Column(address, values, [_shown(*one) for one in zip(values, read, strict=True)], quantity)


def _quantity_within(scenario: Spec, address: str, whole: str, values: Sequence[object]) -> str:
    """The quantity of an address in all those values of another axis, the `whole`, that have it; "" if they differ."""
    found = set()
    for value in {_key(value, at): value for at, value in enumerate(values)}.values():
        with suppress(ScenarioError):  # such a point may fail, or another axis makes it a scenario
            found.add(quantity_at(scenario.replace(whole, value), address))
    return found.pop() if len(found) == 1 else ""


def _number(quantity: str, value: object) -> object:
    """A value of this quantity in base units; as given if it is none, which the point's own value may allow."""
    try:
        return parse(quantity, value) if quantity else value
    except ScenarioError:
        return value


def _read(scenario: Spec, address: str, annotation: Any, quantity: str, value: object) -> object:
    """A value as a spec would keep it. Reading a number alone is faster."""
    if quantity:
        try:
            return parse(quantity, value)
        except ScenarioError:
            pass  # reported below, unless not only numbers are allowed
    return checked(scenario, address, annotation, value)


def _shown(given: object, read: object) -> Shown:
    if isinstance(read, bool) or read is None:
        return read
    if isinstance(read, int | float):
        return int(read) if isinstance(read, int) else read
    if isinstance(given, Spec):
        return f"{type(given).__name__} {given.hash12}"
    return given if isinstance(given, str) else json.dumps(given, default=_digest, ensure_ascii=False)


def _digest(value: object) -> str:
    return value.hash12 if isinstance(value, Spec) else str(value)


def _key(value: object, at: int) -> object:
    """Equal for equal values of a type; a value without a hash is like no other."""
    try:
        hash(value)
    except TypeError:
        return at
    return type(value), value
