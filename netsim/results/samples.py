"""What one iteration delivered, and how long processors were busy, sample by sample: what is needed to give the error
of a mean is, or a quotient of two.

Samples of all runs with one plan are on one grid: they begin at the same times, or rather with the next delivery then.
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
    """Their edges (ps), and up to each of them what was `delivered` since the start (bytes or transactions) and the
    time that the processors of each host were busy, together (ps); what was delivered of each of the `parts`, which are
    the flows of a network. The first edge is the one of number `first` on a
    grid that begins at `origin` and has one every `step` (ps)."""

    origin: int
    step: int
    first: int
    edges: tuple[int, ...]
    delivered: tuple[int, ...]
    busy: Mapping[str, tuple[int, ...]]
    parts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def seconds(self) -> Array:
        """How long each is."""
        return np.diff(np.array(self.edges)) / PS_PER_S

    def amounts(self, host: str | None) -> Array:
        """What was delivered in each, or how long a host's processors were busy (ps)."""
        return np.diff(np.array(self.delivered if host is None else self.busy[host])).astype(float)

    def of(self, part: str) -> Samples:
        """Those of one of the parts: what it delivered, alone."""
        return replace(self, delivered=self.parts[part], busy={}, parts={})

    def to_dict(self) -> dict[str, Any]:
        """Plain data; edges and sums as text, the first one and what each sample adds, as there are many."""
        busy, parts = ({name: _text(column) for name, column in of.items()} for of in (self.busy, self.parts))
        grid = {name: getattr(self, name) for name in ("origin", "step", "first")}
        return grid | {"edges": _text(self.edges), "delivered": _text(self.delivered), "busy": busy, "parts": parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """From what `to_dict` gives."""
        busy, parts = ({name: _column(text) for name, text in data.get(of, {}).items()} for of in ("busy", "parts"))
        sums = {"delivered": _column(data["delivered"]), "busy": busy, "parts": parts}
        columns = {"edges": _column(data["edges"])} | sums
        return cls(**dict(data) | columns)


def _text(column: tuple[int, ...]) -> str:
    return " ".join(map(str, (column[0], *(later - earlier for earlier, later in pairwise(column)))))


def _column(text: str) -> tuple[int, ...]:
    return tuple(accumulate(map(int, text.split())))
