"""A parameter to be fitted: where it is in models/, where the search starts, and what physics allows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from netsim import catalog
from netsim.calibration.row import Observation
from netsim.catalog import NOTES, Overlay, Provenance, Sourced
from netsim.errors import ScenarioError, check_type, nearest, plain, show

_LIMITS = ("start", "low", "high")
_ALLOWED = 'a number with the unit of the value, such as "8.1 us", or a number alone if it has none'

Values = Mapping[str, float]  # a parameter's name -> its value, in the parameter's unit


@dataclass(frozen=True)
class Parameter:
    """The number at `address` of the models file `file` ("drivers/tulip"). The `start` of the search and the bounds
    that are physically credible, `low` and `high`, are texts in the value's own unit ("8.1 us"), or numbers if it has
    none; `reason` explains the bounds.

    Its prior is a normal distribution of its logarithm, in the middle of the bounds and as wide as a uniform one
    between them.
    """

    file: str
    address: str
    start: str
    low: str
    high: str
    reason: str

    @classmethod
    def of(cls, name: str) -> Self:
        """The number called `name` ("drivers/tulip:tx_cycles") with the range that its file gives it. The search starts
        in the middle of the range, whatever value the file has. Raises ScenarioError if there is no such number, or it
        has no range."""
        file, _, address = name.partition(":")
        source = _source(file, address)
        if source.range is None:
            raise ScenarioError("has no range; allowed: a number with range = [lowest, highest]", address=name)
        low, high = map(str, source.range)
        unit = low.partition(" ")[2]
        middle = f"{math.sqrt(_number(low) * _number(high)):.4g} {unit}".strip()
        return cls(file, address, middle, low, high, source.reason)

    def __post_init__(self) -> None:
        """Raises ScenarioError unless 0 < low <= start <= high and low < high, all in one unit."""
        for name in _LIMITS:
            object.__setattr__(self, name, self._text(name))
        if len({text.partition(" ")[2] for text in (self.start, self.low, self.high)}) > 1:
            raise ScenarioError("start, low and high must have the same unit", address=self.name)
        low, start, high = (_number(text) for text in (self.low, self.start, self.high))
        if not 0 < low <= start <= high < math.inf or low == high:
            given = f"low {self.low}, start {self.start}, high {self.high} are not allowed"
            raise ScenarioError(f"{given}; allowed: 0 < low <= start <= high, and low < high", address=self.name)

    def _text(self, name: str) -> str:
        """One of the limits as text. Raises ScenarioError if it does not begin with a number."""
        given = plain(getattr(self, name))
        try:
            check_type(name, given, (str, int, float), _ALLOWED)
            _number(text := str(given))
        except ValueError:
            at = f"{self.name}: {name}"
            raise ScenarioError(f"{show(given)} is not allowed; allowed: {_ALLOWED}", address=at) from None
        return text

    @property
    def name(self) -> str:
        """Its file and its address, such as "drivers/tulip:tx_cycles"."""
        return f"{self.file}:{self.address}"

    @property
    def unit(self) -> str:
        """The unit of every text and value, "" for none."""
        return self.start.partition(" ")[2]

    @property
    def first(self) -> float:
        """Where the search starts."""
        return _number(self.start)

    @property
    def log_bounds(self) -> tuple[float, float]:
        """Logarithms of low and high."""
        return math.log(_number(self.low)), math.log(_number(self.high))

    @property
    def middle(self) -> float:
        """The middle of the bounds, as a logarithm."""
        return sum(self.log_bounds) / 2

    @property
    def width(self) -> float:
        """Standard deviation of the logarithm if only the bounds are known (a uniform distribution)."""
        low, high = self.log_bounds
        return max((high - low) / math.sqrt(12), 1e-9)


def _number(text: str) -> float:
    return float(text.partition(" ")[0])


def _source(file: str, address: str) -> Provenance:
    """The provenance of a number in a file of models/. Raises ScenarioError with the nearest address if it has none."""
    tables = catalog.read_toml(catalog.path(*file.split("/", 1)))
    _, sources = catalog.split({key: one for key, one in tables.items() if key not in NOTES})
    if address not in sources:
        raise ScenarioError(f"{file} does not set such a number{nearest(address, sources)}", address=address)
    return sources[address]


def overlay_of(parameters: Sequence[Parameter], values: Values) -> Overlay:
    """The overlay with these values of parameters (`catalog.overlay`); the source of each is its name."""
    overlay: dict[tuple[str, str], dict[str, object]] = {}
    for one in parameters:
        category, _, name = one.file.partition("/")
        text = f"{values[one.name]!r} {one.unit}" if one.unit else values[one.name]
        source = Provenance(kind="fitted", source=one.name)
        overlay.setdefault((category, name), {})[one.address] = Sourced(text, source)
    return overlay


def addresses(parameters: Sequence[Parameter], row: Observation) -> dict[str, list[str]]:
    """A parameter's name -> its addresses in a row's scenario (at sender and receiver, say); without those it lacks."""
    with catalog.overlay(overlay_of(parameters, {one.name: one.first for one in parameters})):
        sources = row.build().provenance()
    found: dict[str, list[str]] = {}
    for address, source in sources.items():
        if source.source in {one.name for one in parameters}:
            found.setdefault(source.source, []).append(address)
    return found
