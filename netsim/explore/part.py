"""Some of the points of a sweep, and how they are divided where they can't continue together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError
from netsim.explore.points import Column, Points
from netsim.units import Split, Swept, telling

T = TypeVar("T")
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Part:
    """Every combination of the entries of `dims`. An entry is a place in one dimension of the whole sweep, or in
    several at once: each of `dims` has the places by the numbers of these dimensions."""

    dims: tuple[Mapping[int, Indices], ...]

    @classmethod
    def whole(cls, shape: tuple[int, ...]) -> Part:
        """All points."""
        return cls(tuple({number: np.arange(length)} for number, length in enumerate(shape)))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many entries each dimension has."""
        return tuple(len(next(iter(dim.values()))) for dim in self.dims)

    def along(self, values: NDArray[Any], number: int) -> NDArray[Any]:
        """Values of the entries of one dimension, as an array over the points."""
        return values.reshape([-1 if other == number else 1 for other in range(len(self.dims))])

    @property
    def places(self) -> tuple[Indices, ...]:
        """The indices of these points in an array over the whole sweep."""
        found = {one: self.along(at, number) for number, dim in enumerate(self.dims) for one, at in dim.items()}
        return tuple(found[one] for one in sorted(found))

    @property
    def size(self) -> int:
        """The number of points."""
        return prod(self.shape)

    @property
    def first(self) -> tuple[int, ...]:
        """The place of its first point."""
        return tuple(int(at.flat[0]) for at in self.places)

    def divided(self, values: NDArray[Any]) -> list[Part]:
        """One part for each different one of `values`, an array over the points."""
        involved = [number for number, length in enumerate(values.shape) if length > 1]
        merged = self._merged(involved)
        _, codes = np.unique(values.reshape(-1), return_inverse=True)
        order = np.argsort(codes, kind="stable")
        lots = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        others = [dim for number, dim in enumerate(self.dims) if number not in involved]
        return [Part(({one: at[lot] for one, at in merged.items()}, *others)) for lot in lots]

    def _merged(self, involved: list[int]) -> dict[int, Indices]:
        """Several dimensions as one, whose entries are their combinations."""
        shape = [self.shape[number] for number in involved]
        merged = {}
        for axis, number in enumerate(involved):
            for one, at in self.dims[number].items():
                along = at.reshape([-1 if other == axis else 1 for other in range(len(shape))])
                merged[one] = np.broadcast_to(along, shape).reshape(-1)
        return merged


def each_part(points: Points, evaluate: Callable[[dict[str, object]], T]) -> Iterator[tuple[Part, T | ScenarioError]]:
    """The result of `evaluate` for changes to a scenario, or its refusal, for groups that together hold all points.
    Changes are single values or Swept, whose arrays have a dimension for each of the part's."""
    parts = [Part.whole(points.shape)]
    while parts:
        part = parts.pop()
        try:
            done = _tried(partial(_evaluated, evaluate, points, part))
        except Split as split:
            parts += part.divided(split.values)[::-1]
        except (TypeError, AttributeError):  # an operation that swept numbers lack
            fewest = _fewest(points, part)
            if fewest is None:
                raise
            parts += part.divided(fewest)[::-1]
        else:
            yield part, done


def _evaluated(evaluate: Callable[[dict[str, object]], T], points: Points, part: Part) -> T:
    with np.errstate(all="ignore"):
        return evaluate(_changes(points, part))


def _tried(evaluate: Callable[[], T]) -> T | ScenarioError:
    """The result or the refusal. A refusal with a swept number in its text is that of all points, with the number of
    the first."""
    try:
        return evaluate()
    except ScenarioError as error:
        return error
    except Split as split:
        if not split.told:
            raise
        with telling():
            try:
                evaluate()
            except ScenarioError as error:
                return error
        raise


def _changes(points: Points, part: Part) -> dict[str, object]:
    """The changes at these points; addresses with the same values share an object. Raises Split if the values of an
    address differ and are not numbers."""
    changes: dict[str, object] = {}
    made: dict[tuple[int, int, int], object] = {}
    for number, at, column in _columns(points, part):
        same = number, id(at), id(column.values)
        if same not in made:
            made[same] = _value(part, number, at, column)
        changes[column.address] = made[same]
    return changes


def _value(part: Part, number: int, at: Indices, column: Column) -> object:
    """The value of a column at these places, along one dimension, or all of its values."""
    codes = column.codes[at]
    if (codes == codes[0]).all():
        return column.values[int(at[0])]
    if column.numbers is None:
        raise Split(part.along(codes, number))
    return Swept(part.along(codes, number))


def _columns(points: Points, part: Part) -> Iterator[tuple[int, Indices, Column]]:
    """All columns, each with the number of its dimension in the part, and its places in the whole sweep."""
    for number, dim in enumerate(part.dims):
        for one, at in dim.items():
            yield from ((number, at, column) for column in points.dims[one])


def _fewest(points: Points, part: Part) -> NDArray[Any] | None:
    """The values, over the part's points, of the column with the fewest different ones, at least two; None if there
    is only one point left."""
    lists = [part.along(column.codes[at], number) for number, at, column in _columns(points, part)]
    different = [one for one in lists if (one != one.item(0)).any()]
    return min(different, key=lambda one: len(np.unique(one)), default=None)
