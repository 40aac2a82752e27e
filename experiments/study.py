"""What if: scenarios that no report measured, simulated for the sake of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from netsim.result import Result


@dataclass(frozen=True)
class Point:
    """A scenario of a `series`, at `x` on its axis. `build` is a module's function or a partial of one."""

    series: str
    x: float
    build: Callable[[], Any]


Found = Sequence[tuple[Point, Result]]


@dataclass(frozen=True)
class Study:
    """`draw` makes an SVG of what `points` gave; `caption` says what it shows."""

    title: str
    caption: str
    points: Callable[[], list[Point]]
    draw: Callable[[Found], str]
