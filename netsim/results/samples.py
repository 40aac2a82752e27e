"""The deliveries and the processors' busy times of one iteration, sample by sample: the data for the error of a mean,
or of a quotient of two.

Samples of all runs with one plan are on one grid: they begin with the first delivery at or after the same times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any, Self

import numpy as np

from netsim.statistics import Array
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class Samples:
    """The edges of samples (ps), and the sums from the start up to each edge: `delivered` (bytes or transactions), the
    total busy time (ps) of each host's processors, and the deliveries of each of the `parts`, which are the flows of a
    network. The first edge has the number `first` on a grid that begins at `origin` with an edge every `step` (ps)."""

    origin: int
    step: int
    first: int
    edges: tuple[int, ...]
    delivered: tuple[int, ...]
    busy: Mapping[str, tuple[int, ...]]
    parts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def seconds(self) -> Array:
        """The length (s) of each sample."""
        return np.diff(np.array(self.edges)) / PS_PER_S

    def amounts(self, host: str | None) -> Array:
        """The deliveries in each sample, or the time (ps) for which a host's processors were busy."""
        return np.diff(np.array(self.delivered if host is None else self.busy[host])).astype(float)

    def of(self, part: str) -> Samples:
        """The samples of one part, with only its deliveries."""
        return replace(self, delivered=self.parts[part], busy={}, parts={})

    def to_dict(self) -> dict[str, Any]:
        """Plain data. There are many edges and sums, so they are texts: the first value, and then the increments."""
        busy, parts = ({name: _text(column) for name, column in of.items()} for of in (self.busy, self.parts))
        grid = {name: getattr(self, name) for name in ("origin", "step", "first")}
        return grid | {"edges": _text(self.edges), "delivered": _text(self.delivered), "busy": busy, "parts": parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object from the data of `to_dict`."""
        busy, parts = ({name: _column(text) for name, text in data.get(of, {}).items()} for of in ("busy", "parts"))
        sums = {"delivered": _column(data["delivered"]), "busy": busy, "parts": parts}
        columns = {"edges": _column(data["edges"])} | sums
        return cls(**dict(data) | columns)


def _text(column: tuple[int, ...]) -> str:
    return " ".join(map(str, (column[0], *(later - earlier for earlier, later in pairwise(column)))))


def _column(text: str) -> tuple[int, ...]:
    return tuple(accumulate(map(int, text.split())))
