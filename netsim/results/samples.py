"""What one iteration delivered, and how long processors were busy, sample by sample: what is needed to say how far off
a mean is, or a quotient of two.

Samples of all runs with one plan are on one grid: they begin at the same times, or rather with the next delivery then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Self

import numpy as np

from netsim.statistics import Array
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class Samples:
    """Their edges (ps), and up to each of them what was `delivered` since the start (bytes or transactions) and the
    time that the processors of each host were busy, together (ps). The first edge is the one of number `first` on a
    grid that begins at `origin` and has one every `step` (ps)."""

    origin: int
    step: int
    first: int
    edges: tuple[int, ...]
    delivered: tuple[int, ...]
    busy: Mapping[str, tuple[int, ...]]

    @property
    def seconds(self) -> Array:
        """How long each is."""
        return np.diff(np.array(self.edges)) / PS_PER_S

    def amounts(self, host: str | None) -> Array:
        """What was delivered in each, or how long a host's processors were busy (ps)."""
        return np.diff(np.array(self.delivered if host is None else self.busy[host])).astype(float)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; edges and sums as text, the first one and what each sample adds, as there are many."""
        texts = {name: _text(column) for name, column in self.busy.items()}
        grid = {name: getattr(self, name) for name in ("origin", "step", "first")}
        return grid | {"edges": _text(self.edges), "delivered": _text(self.delivered), "busy": texts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """From what `to_dict` gives."""
        busy = {name: _column(text) for name, text in data["busy"].items()}
        columns = {"edges": _column(data["edges"]), "delivered": _column(data["delivered"]), "busy": busy}
        return cls(**dict(data) | columns)


def _text(column: tuple[int, ...]) -> str:
    return " ".join(map(str, (column[0], *(later - earlier for earlier, later in pairwise(column)))))


def _column(text: str) -> tuple[int, ...]:
    return tuple(accumulate(map(int, text.split())))
