"""A report's statements about its curves that give no number to compare: the bottleneck along a curve,
or that a value is above a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from experiments.study import Found, Point
from netsim.accounts.resource import LATENCY
from netsim.results.result import Result


class Statement(Protocol):
    """`id` and `text` identify it; `printed` is what the report says."""

    @property
    def id(self) -> str:
        """The statement's id."""

    @property
    def text(self) -> str:
        """What it is about."""

    @property
    def printed(self) -> str:
        """What the report says."""

    def about(self, point: Point) -> bool:
        """Whether it is about this point of a curve."""

    def found(self, points: Found) -> str:
        """What the simulation says about these points."""

    def holds(self, points: Found) -> bool:
        """Whether that agrees with the report."""


@dataclass(frozen=True)
class BottleneckAlong:
    """At points whose series begins with `series`, from `low` to `high` on the axis, the bottleneck is one of
    `resources`, each given by the beginning of its name."""

    id: str
    text: str
    printed: str
    series: str
    low: float
    high: float
    resources: tuple[str, ...]

    def about(self, point: Point) -> bool:
        """See Statement."""
        return point.series.startswith(self.series) and self.low <= point.x <= self.high

    def found(self, points: Found) -> str:
        """See Statement: names, and at how many of the points."""
        return _counted(result.bottleneck for _, result in points)

    def holds(self, points: Found) -> bool:
        """See Statement."""
        return all(result.bottleneck.startswith(self.resources) for _, result in points)


@dataclass(frozen=True)
class FirstBottleneck:
    """Along each curve whose series begins with `series`, the first of the server's resources to become the
    bottleneck, as clients are added, is one of `resources`, each given by the beginning of its name."""

    id: str
    text: str
    printed: str
    series: str
    resources: tuple[str, ...]

    def about(self, point: Point) -> bool:
        """See Statement."""
        return point.series.startswith(self.series)

    def found(self, points: Found) -> str:
        """See Statement: names, and on how many of the curves."""
        return _counted(self._first(points).values())

    def holds(self, points: Found) -> bool:
        """See Statement."""
        return all(name.startswith(self.resources) for name in self._first(points).values())

    def _first(self, points: Found) -> dict[str, str]:
        """The first bottleneck of each curve, LATENCY if it has none."""
        first = {point.series: LATENCY for point, _ in points}
        for point, result in sorted(points, key=lambda one: -one[0].x):
            if result.bottleneck != LATENCY:
                first[point.series] = result.bottleneck
        return first


@dataclass(frozen=True)
class Above:
    """At `x` of all curves whose series begins with `series`, `value` is above `limit`."""

    id: str
    text: str
    series: str
    x: float
    value: Callable[[Result], float]
    limit: float

    @property
    def printed(self) -> str:
        """See Statement."""
        return f"above {self.limit:g}"

    def about(self, point: Point) -> bool:
        """See Statement."""
        return point.series.startswith(self.series) and point.x == self.x

    def found(self, points: Found) -> str:
        """See Statement: from the lowest to the highest."""
        values = sorted(self.value(result) for _, result in points)
        return f"{values[0]:.3f} to {values[-1]:.3f}"

    def holds(self, points: Found) -> bool:
        """See Statement."""
        return all(self.value(result) > self.limit for _, result in points)


def _counted(names: Iterable[str]) -> str:
    """Names without the numbers of parts, each with its count."""
    counts = Counter(name.rstrip(" 0123456789") for name in names)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


@dataclass(frozen=True)
class Judged:
    """A statement with the simulation's finding, and whether it holds."""

    statement: Statement
    found: str
    holds: bool


def judge(statements: Sequence[Statement], found: Found) -> list[Judged]:
    """Judges statements by the simulated points; a statement about none of them does not hold."""
    judged = []
    for one in statements:
        points = [(point, result) for point, result in found if one.about(point)]
        judged.append(Judged(one, one.found(points), one.holds(points)) if points else Judged(one, "", False))
    return judged
