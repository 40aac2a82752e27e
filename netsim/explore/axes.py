"""Axes: blocks of values, each for one address or for several together; every combination is a point.

    {"mtu": [576, 1500], "link.propagation": ["0 us", "5 us"]}           a mapping: every combination
    zipped({"sender.processors.clock": [...], "receiver.processors.clock": [...]})   equally long, side by side
    latin_hypercube({"sender.processors.clock": ("200 MHz", "1 GHz")}, points=50)    between limits
    sobol({...}, points=64)
    a pandas DataFrame                                                   a row for each point, a column for each address

`zipped(...) * {"mtu": [...]}` makes every combination of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from netsim.errors import ScenarioError, show, whole_number
from netsim.explore.limits import check_form

if TYPE_CHECKING:
    import pandas as pd

MOST = 10**7  # points, and values of an address
METHODS = ("latin_hypercube", "sobol")


@dataclass(frozen=True)
class Listed:
    """Values as they were given, a column for each address, all equally long."""

    addresses: tuple[str, ...]
    columns: Sequence[Sequence[object]]

    def __len__(self) -> int:
        return len(self.columns[0])

    def items(self) -> Iterator[tuple[str, Sequence[object]]]:
        """Each address with its values."""
        return zip(self.addresses, self.columns, strict=True)


@dataclass(frozen=True)
class Sampled:
    """`number` points between `limits` by one of METHODS of scipy.stats.qmc, drawn with `seed`. Their values are
    computed once the units of the limits are known (netsim.explore.limits)."""

    method: str
    addresses: tuple[str, ...]
    limits: tuple[tuple[object, object], ...]
    number: int
    seed: int

    def __len__(self) -> int:
        return self.number


Block = Listed | Sampled
Given: TypeAlias = "Axes | Mapping[str, Iterable[object]] | pd.DataFrame"  # forms in which a user may give axes


@dataclass(frozen=True)
class Axes:
    """Blocks of axes. Every combination is a point; the last block varies fastest."""

    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        """Raises ScenarioError for no axes, an address in two blocks, and too many points."""
        addresses = self.addresses
        if not addresses:
            raise ScenarioError("no axes; allowed: at least one address with its values")
        if twice := [one for at, one in enumerate(addresses) if one in addresses[:at]]:
            raise ScenarioError("is in two axes; allowed: each address once", address=twice[0])
        if len(self) > MOST:
            raise ScenarioError(f"{len(self)} points are too many; allowed: up to {MOST}")

    @classmethod
    def of(cls, given: Given) -> Axes:
        """The axes that a user's value stands for. Raises ScenarioError."""
        if isinstance(given, Axes):
            return given
        if isinstance(given, Mapping):
            return cls(tuple(_listed({address: values}) for address, values in given.items()))
        if hasattr(given, "columns") and hasattr(given, "itertuples"):
            return _of_table(given)
        text = "a mapping of addresses to lists, zipped, latin_hypercube, sobol, or a DataFrame"
        raise ScenarioError(f"{show(given)} is not allowed as axes; allowed: {text}")

    def __mul__(self, other: Given) -> Axes:
        return Axes(self.blocks + Axes.of(other).blocks)

    def __rmul__(self, other: Mapping[str, Iterable[object]]) -> Axes:
        return Axes.of(other) * self

    def __len__(self) -> int:
        return prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many entries each block has."""
        return tuple(len(block) for block in self.blocks)

    @property
    def addresses(self) -> tuple[str, ...]:
        """All addresses, in the order given."""
        return tuple(address for block in self.blocks for address in block.addresses)

    def values(self, address: str) -> Sequence[object]:
        """The values listed for one of its addresses, as they were given; none for a sampled one."""
        listed = (block for block in self.blocks if isinstance(block, Listed))
        return next((values for block in listed for one, values in block.items() if one == address), ())


def zipped(values: Mapping[str, Iterable[object]]) -> Axes:
    """Addresses whose lists go together: their first values make a point, their second values the next one.

    Raises ScenarioError for lists that are empty or differ in length.
    """
    return Axes((_listed(values),))


def latin_hypercube(limits: Mapping[str, Sequence[object]], points: int, seed: int = 1) -> Axes:
    """`points` samples between `limits`, (lowest, highest) of each address: a Latin hypercube, with one sample in
    each `points`-th part of an address's range. Raises ScenarioError."""
    return _sampled("latin_hypercube", limits, points, seed)


def sobol(limits: Mapping[str, Sequence[object]], points: int, seed: int = 1) -> Axes:
    """`points` samples between `limits`, (lowest, highest) of each address: a scrambled Sobol sequence, which fills the
    space evenly for a power of two. Raises ScenarioError."""
    axes = _sampled("sobol", limits, points, seed)
    points = len(axes)
    if points & (points - 1):
        below = 1 << (points.bit_length() - 1)
        text = f"{points} is not a power of two; allowed: such as {below} or {2 * below}"
        raise ScenarioError(text, address="points")
    return axes


def _sampled(method: str, limits: Mapping[str, Sequence[object]], points: int, seed: int) -> Axes:
    for address, pair in limits.items():
        check_form(address, pair)
    points, seed = whole_number("points", points, 1), whole_number("seed", seed, 0)
    pairs = tuple((low, high) for low, high in limits.values())
    return Axes((Sampled(method, tuple(limits), pairs, points, seed),)) if pairs else Axes(())


def _of_table(table: pd.DataFrame) -> Axes:
    """The axes of a DataFrame. Raises ScenarioError."""
    names = [str(name) for name in table.columns]
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        raise ScenarioError("is in two columns; allowed: each address once", address=twice[0])
    return zipped({name: table[column].tolist() for name, column in zip(names, table.columns, strict=True)})


def _listed(values: Mapping[str, Iterable[object]]) -> Listed:
    columns = {address: _column(address, given) for address, given in values.items()}
    lengths = {address: len(column) for address, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{address} has {length}" for address, length in lengths.items())
        raise ScenarioError(f"lists of unequal length can't be zipped: {told}")
    return Listed(tuple(columns), tuple(columns.values()))


def _column(address: str, values: Any) -> list[object]:
    """The values of one address. Raises ScenarioError for anything that is not a list, and for an empty or endless
    one."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ScenarioError(f"{show(values)} is not allowed; allowed: a list of values", address=address)
    if isinstance(values, Sized) and len(values) > MOST:
        raise ScenarioError(f"{len(values)} values are too many; allowed: up to {MOST}", address=address)
    column = list(islice(values, MOST + 1))
    if not column:
        raise ScenarioError("[] is not allowed; allowed: at least one value", address=address)
    if any(getattr(one, "ndim", 0) for one in column):
        raise ScenarioError("an array of several dimensions is not allowed; allowed: a list of values", address=address)
    return [one.item() if hasattr(one, "dtype") and hasattr(one, "item") else one for one in column]
