"""A parameter to be fitted: where it stands in models/, where the search starts, and what physics allows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netsim import catalog
from netsim.calibration.row import Observation
from netsim.catalog import Overlay, Provenance, Sourced
from netsim.errors import ScenarioError

Values = Mapping[str, float]  # a parameter's name -> its value, in the parameter's unit


@dataclass(frozen=True)
class Parameter:
    """The number at `address` of the models file `file` ("drivers/tulip"). Where the search starts and between which
    bounds physics allows it are texts in the unit that the value is written in ("8.1 us"); `reason` is the physics.
    """

    file: str
    address: str
    start: str
    low: str
    high: str
    reason: str

    def __post_init__(self) -> None:
        """Raises ScenarioError unless 0 < low <= start <= high, all in one unit."""
        if len({text.partition(" ")[2] for text in (self.start, self.low, self.high)}) > 1:
            raise ScenarioError("start, low and high must have the same unit", address=self.name)
        if not 0 < _number(self.low) <= _number(self.start) <= _number(self.high):
            raise ScenarioError("0 < low <= start <= high must hold", address=self.name)

    @property
    def name(self) -> str:
        """Where it stands, such as "drivers/tulip:tx_cycles"."""
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
    def width(self) -> float:
        """Standard deviation of the logarithm if nothing were known but the bounds (a uniform distribution)."""
        low, high = self.log_bounds
        return max((high - low) / math.sqrt(12), 1e-9)


def _number(text: str) -> float:
    return float(text.partition(" ")[0])


def overlay_of(parameters: Sequence[Parameter], values: Values) -> Overlay:
    """What `catalog.overlay` needs to give parameters these values; the source of each is its name."""
    overlay: dict[tuple[str, str], dict[str, object]] = {}
    for one in parameters:
        category, _, name = one.file.partition("/")
        text = f"{values[one.name]!r} {one.unit}" if one.unit else values[one.name]
        source = Provenance(kind="fitted", source=one.name)
        overlay.setdefault((category, name), {})[one.address] = Sourced(text, source)
    return overlay


def addresses(parameters: Sequence[Parameter], row: Observation) -> dict[str, list[str]]:
    """A parameter's name -> where it stands in a row's scenario (sender and receiver, say); left out if nowhere."""
    with catalog.overlay(overlay_of(parameters, {one.name: one.first for one in parameters})):
        sources = row.build().provenance()
    found: dict[str, list[str]] = {}
    for address, source in sources.items():
        if source.source in {one.name for one in parameters}:
            found.setdefault(source.source, []).append(address)
    return found
