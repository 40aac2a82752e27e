"""What-if studies: scenarios that no report measured, simulated for a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from netsim.results.result import Result


@dataclass(frozen=True)
class Point:
    """A scenario of a `series`, at `x` on its axis. `build` is a module-level function or a partial of one. `settings`
    are arguments of `simulate` that override a picture's."""

    series: str
    x: float
    build: Callable[[], Any]
    settings: Mapping[str, Any] = field(default_factory=dict)


Found = Sequence[tuple[Point, Result]]


@dataclass(frozen=True)
class Study:
    """`draw` makes an SVG of the results of `points`; `caption` says what it shows."""

    title: str
    caption: str
    points: Callable[[], list[Point]]
    draw: Callable[[Found], str]
