"""What a report says of its curves without a number that could have an error: the bottleneck along a curve,
or that something is above a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from experiments.study import Found, Point
from netsim.accounts.resource import LATENCY
from netsim.results.result import Result


class Statement(Protocol):
    """`id` and `text` name it; `printed` is what the report says."""

    @property
    def id(self) -> str:
        """Of the statement."""

    @property
    def text(self) -> str:
        """What it is about."""

    @property
    def printed(self) -> str:
        """What the report says."""

    def about(self, point: Point) -> bool:
        """Whether a point of a curve is among those that it is about."""

    def found(self, points: Found) -> str:
        """What the simulation says of those."""

    def holds(self, points: Found) -> bool:
        """Whether that is what the report says."""


@dataclass(frozen=True)
class BottleneckAlong:
    """Of points whose series begins with `series`, from `low` to `high` on its axis, the bottleneck is one of
    `resources`, each named by how a resource's name begins."""

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
    bottleneck, as clients are added, is one of `resources`, each named by how a resource's name begins."""

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
        """By curve, LATENCY for one along which nothing is."""
        first = {point.series: LATENCY for point, _ in points}
        for point, result in sorted(points, key=lambda one: -one[0].x):
            if result.bottleneck != LATENCY:
                first[point.series] = result.bottleneck
        return first


@dataclass(frozen=True)
class Above:
    """At `x` of all curves whose series begins with `series`, a `value` is above `limit`."""

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
        """See Statement: from the least to the most."""
        values = sorted(self.value(result) for _, result in points)
        return f"{values[0]:.3f} to {values[-1]:.3f}"

    def holds(self, points: Found) -> bool:
        """See Statement."""
        return all(self.value(result) > self.limit for _, result in points)


def _counted(names: Iterable[str]) -> str:
    """Names without numbers of parts, and how often each."""
    counts = Counter(name.rstrip(" 0123456789") for name in names)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


@dataclass(frozen=True)
class Judged:
    """A statement with what the simulation says, and whether it holds."""

    statement: Statement
    found: str
    holds: bool


def judge(statements: Sequence[Statement], found: Found) -> list[Judged]:
    """Statements about points that were simulated: one about none of them does not hold."""
    judged = []
    for one in statements:
        points = [(point, result) for point, result in found if one.about(point)]
        judged.append(Judged(one, one.found(points), one.holds(points)) if points else Judged(one, "", False))
    return judged
