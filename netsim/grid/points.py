"""The points of an instant sweep: values of addresses, read and checked before anything is worked out.

Axes are a mapping, address -> values, of which every combination is a point; or a pandas DataFrame with a column for
each address, whose rows are the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import prod
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, show
from netsim.spec import Spec
from netsim.spec.tree import Tree
from netsim.units import Exact, Quantity, parse

if TYPE_CHECKING:
    import pandas as pd

MOST = 10**7  # points: what is worked out of them has to stay in memory


@dataclass(frozen=True)
class Column:
    """The `values` of one `address` as a user wrote them, and as `numbers` in the base units of their `kind`. There
    are no numbers where some values are none (names, tables, truth values, None). Equal values have equal `codes`."""

    address: str
    values: tuple[object, ...]
    kind: str = ""
    numbers: NDArray[Any] | None = None

    @cached_property
    def codes(self) -> NDArray[Any]:
        """What tells the values apart."""
        if self.numbers is not None:
            return self.numbers
        known: dict[object, int] = {}
        return np.array([known.setdefault(_key(value, at), len(known)) for at, value in enumerate(self.values)])

    @property
    def plain(self) -> list[object]:
        """The values for a table: numbers in base units, all else as it was written."""
        return [*self.values] if self.numbers is None else self.numbers.tolist()

    def value(self, at: int) -> object:
        """What a spec takes for the value at this place."""
        return self.values[at] if self.numbers is None else exact(self.numbers[at].item())


@dataclass(frozen=True)
class Points:
    """Every combination of the entries of `dims`. A dimension has one column, or several of equal length whose values
    belong together."""

    dims: tuple[tuple[Column, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many entries each dimension has."""
        return tuple(len(columns[0].values) for columns in self.dims)

    @property
    def columns(self) -> Iterator[tuple[int, Column]]:
        """All of them, each with the number of its dimension."""
        return ((number, column) for number, columns in enumerate(self.dims) for column in columns)

    def at(self, place: tuple[int, ...]) -> dict[str, object]:
        """One point, as changes to the scenario."""
        return {column.address: column.value(place[number]) for number, column in self.columns}


def exact(number: float) -> float:
    """A number in base units as one that a spec takes without a unit."""
    return Exact(number) if isinstance(number, int) else number


def points_of(scenario: Spec, axes: Mapping[str, Iterable[object]] | pd.DataFrame) -> Points:
    """The points that `axes` mean. Raises ScenarioError for an unknown address (with the nearest right one), values
    that are none of its kind, an empty list, and too many points."""
    listed = {str(address): _listed(str(address), values) for address, values in axes.items()}
    if not listed:
        raise ScenarioError("no axes; allowed: at least one address with its values")
    grid = isinstance(axes, Mapping)
    count = prod(len(values) for values in listed.values()) if grid else max(len(one) for one in listed.values())
    if count > MOST:
        raise ScenarioError(f"{count} points are too many; allowed: up to {MOST}")
    columns = [_column(scenario, address, values, [*listed]) for address, values in listed.items()]
    return Points(tuple((column,) for column in columns) if grid else (tuple(columns),))


def _listed(address: str, values: Iterable[object]) -> list[object]:
    """The values of an axis, but not without end."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ScenarioError(f"{show(values)} is not allowed; allowed: a list of values", address=address)
    if isinstance(values, Sized) and len(values) > MOST:
        raise ScenarioError(f"{len(values)} values are too many; allowed: up to {MOST}", address=address)
    listed = list(islice(values, MOST + 1))
    if not listed:
        raise ScenarioError("[] is not allowed; allowed: at least one value", address=address)
    return listed


def _column(scenario: Spec, address: str, values: list[object], others: list[str]) -> Column:
    if any(address.startswith(f"{other}.") for other in others):  # lies in what another axis puts there
        return Column(address, tuple(values))
    kind = kind_at(scenario, address)
    if not kind:
        return Column(address, tuple(values))
    numbers = []
    for value in values:
        try:
            numbers.append(parse(kind, value))
        except ScenarioError:
            scenario.replace(address, value)  # which refuses it too, unless it is allowed beside numbers
            return Column(address, tuple(values))
    return Column(address, tuple(values), kind, as_array(numbers))


def as_array(numbers: Sequence[float]) -> NDArray[Any]:
    """Numbers of one kind; whole ones beyond numpy's range stay Python's."""
    try:
        return np.array(numbers, float if isinstance(numbers[0], float) else np.int64)
    except OverflowError:
        return np.array(numbers, object)


def kind_at(scenario: Spec, address: str) -> str:
    """Of which kind (netsim.units.KINDS) the number at an address is; "" for what is no number. Raises ScenarioError
    with the nearest right address."""
    scenario.get(address)
    above, _, name = address.rpartition(".")
    owner = scenario.get(above) if above else scenario
    if not isinstance(owner, Tree):
        return ""
    field = type(owner).model_fields[name]
    kinds = {one.kind for one in (*field.metadata, *_marks(field.annotation)) if isinstance(one, Quantity)}
    return kinds.pop() if len(kinds) == 1 else ""


def number_kind(scenario: Spec, address: str) -> str:
    """The kind of the number at an address. Raises ScenarioError where there is none."""
    kind = kind_at(scenario, address)
    if not kind:
        raise ScenarioError("no number stands here; allowed: the address of one", address=address)
    return kind


def _marks(annotation: object) -> Iterator[object]:
    """What the members of a union are annotated with."""
    if get_origin(annotation) is Annotated:
        yield from get_args(annotation)[1:]
    elif get_origin(annotation) in (Union, UnionType):
        for one in get_args(annotation):
            yield from _marks(one)


def _key(value: object, at: int) -> object:
    """Equal for equal values of a type; a value that can't be looked up is like no other."""
    try:
        hash(value)
    except TypeError:
        return at
    return type(value), value
