"""The points of a sweep: axes held against a scenario once, and then any point by its number.

All that can be told of the values alone is told before anything runs: an address that isn't there, a unit of the wrong
kind, a name that nobody has. What only shows once values meet (an mtu that the link of that point doesn't carry) is the
failure of that point. A point is made when it is asked for, so a million of them take no room.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.spec import Spec
from netsim.sweep.axes import Axes, Block, Listed, Sampled
from netsim.sweep.field import annotation_at, checked, kind_of, unit_of
from netsim.units import KINDS, Exact, parse

Shown = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """An address that varies, of which `kind` its numbers are ("" for names and the like), and in which block."""

    address: str
    kind: str
    block: int

    @property
    def unit(self) -> str:
        """The base unit in which tables have it; "" if it has none."""
        return unit_of(self.kind)


@dataclass(frozen=True)
class Point:
    """One of them: what is changed in the scenario, and the same as a table has it (by address)."""

    number: int
    changes: Mapping[str, object]
    shown: Mapping[str, Shown]


class Points:
    """Axes held against a scenario. Raises ScenarioError for what is wrong with any of their values."""

    def __init__(self, scenario: Scenario, axes: Axes) -> None:
        self.scenario, self.axes = scenario, axes
        self._entries = [_entries(scenario, block, axes.addresses) for block in axes.blocks]
        self.columns = tuple(
            Column(address, kind, number)
            for number, (block, entries) in enumerate(zip(axes.blocks, self._entries, strict=True))
            for address, kind in zip(block.addresses, entries.kinds, strict=True)
        )

    def __len__(self) -> int:
        return len(self.axes)

    def at(self, number: int) -> Point:
        """The point of this number, from 0."""
        changes: dict[str, object] = {}
        shown: dict[str, Shown] = {}
        for block, entries, place in zip(self.axes.blocks, self._entries, self.axes.places(number), strict=True):
            changes.update(zip(block.addresses, entries.given(place), strict=True))
            shown.update(zip(block.addresses, entries.shown(place), strict=True))
        return Point(number, changes, shown)

    def coordinates(self, column: Column) -> list[Shown]:
        """A column's values, one for each entry of its block."""
        place = self.axes.blocks[column.block].addresses.index(column.address)
        entries = self._entries[column.block]
        return [entries.shown(at)[place] for at in range(self.axes.shape[column.block])]

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what varies and how, whatever scenario it varies in."""
        found = hashlib.sha256()
        for block, entries in zip(self.axes.blocks, self._entries, strict=True):
            found.update(json.dumps([block.addresses, len(block)]).encode())
            for at in range(len(block)):
                found.update(json.dumps(entries.shown(at)).encode())
        return found.hexdigest()


class _Rows:
    """The entries of a Listed block."""

    def __init__(self, scenario: Scenario, block: Listed, axes: tuple[str, ...]) -> None:
        self._rows = block.rows
        inside = {one for one in block.addresses if any(one.startswith(f"{other}.") for other in axes)}
        types = {one: annotation_at(scenario, one) for one in block.addresses if one not in inside}
        self.kinds = tuple(kind_of(types[one]) if one in types else "" for one in block.addresses)
        self._shown = [
            tuple(
                _shown(value, checked(scenario, address, types[address], value) if address in types else value)
                for address, value in zip(block.addresses, row, strict=True)
            )
            for row in block.rows
        ]

    def given(self, at: int) -> tuple[object, ...]:
        return self._rows[at]

    def shown(self, at: int) -> tuple[Shown, ...]:
        return self._shown[at]


class _Samples:
    """The entries of a Sampled block: numbers in base units, in one array."""

    def __init__(self, scenario: Scenario, block: Sampled) -> None:
        self.kinds = tuple(_number_kind(scenario, address) for address in block.addresses)
        self._whole = [KINDS[kind].whole for kind in self.kinds]
        named = zip(self.kinds, block.addresses, block.limits, strict=True)
        limits = np.array([_limits(kind, address, pair) for kind, address, pair in named])
        self._values = limits[:, 0] + _uniform(block) * (limits[:, 1] - limits[:, 0])

    def given(self, at: int) -> tuple[object, ...]:
        return tuple(Exact(value) if isinstance(value, int) else value for value in self.shown(at))

    def shown(self, at: int) -> tuple[int | float, ...]:
        row = self._values[at].tolist()
        return tuple(round(value) if whole else value for value, whole in zip(row, self._whole, strict=True))


def _entries(scenario: Scenario, block: Block, axes: tuple[str, ...]) -> _Rows | _Samples:
    return _Rows(scenario, block, axes) if isinstance(block, Listed) else _Samples(scenario, block)


def _shown(given: object, read: object) -> Shown:
    """A value for a table: a number in base units, a name as it was given, a spec by its hash."""
    if isinstance(read, bool) or read is None:
        return read
    if isinstance(read, int | float):
        return int(read) if isinstance(read, int) else read
    if isinstance(given, Spec):
        return f"{type(given).__name__} {given.hash12}"
    return given if isinstance(given, str) else json.dumps(given, default=_digest, ensure_ascii=False)


def _digest(value: object) -> str:
    return value.hash12 if isinstance(value, Spec) else str(value)


def _number_kind(scenario: Scenario, address: str) -> str:
    kind = kind_of(annotation_at(scenario, address))
    if not kind:
        raise ScenarioError("no number stands here; only numbers can be sampled", address=address)
    return kind


def _limits(kind: str, address: str, pair: tuple[object, object]) -> tuple[float, float]:
    try:
        low, high = (parse(kind, value) for value in pair)
    except ScenarioError as error:
        raise error.at(address) from None
    if low >= high:
        raise ScenarioError(f"{pair[0]} is not below {pair[1]}; allowed: [lowest, highest]", address=address)
    return low, high


def _uniform(block: Sampled) -> NDArray[Any]:
    """Points in the unit cube."""
    from scipy.stats import qmc  # here, because it takes a third of a second

    dimensions = len(block.addresses)
    rng = np.random.default_rng(block.seed)
    if block.method == "sobol":
        return qmc.Sobol(dimensions, rng=rng).random(block.number)
    return qmc.LatinHypercube(dimensions, rng=rng).random(block.number)
