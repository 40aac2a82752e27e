"""The reports there are, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from experiments import (
    beowulf,
    failover,
    gigabit_what_if,
    netfinity_5500,
    netfinity_5500_curves,
    overload,
    perform3,
    tolly_200233,
    tolly_201105,
)
from experiments.comparison import Claim
from experiments.computed import Computed
from experiments.figure import Figure
from experiments.row import Row
from experiments.statement import Statement
from experiments.study import Study
from netsim.errors import ScenarioError, nearest, show

REPORTS: dict[str, Callable[[], list[Row]]] = {
    beowulf.REPORT: beowulf.rows,
    tolly_200233.REPORT: tolly_200233.rows,
    tolly_201105.REPORT: tolly_201105.rows,
    perform3.REPORT: perform3.rows,
    netfinity_5500.REPORT: netfinity_5500.rows,
}
STUDIES: dict[str, list[Callable[[], Study]]] = {
    beowulf.REPORT: [overload.study],
    tolly_200233.REPORT: gigabit_what_if.studies(),
    tolly_201105.REPORT: [failover.study],
    perform3.REPORT: [],
    netfinity_5500.REPORT: [],
}
# Only for reports that have any.
COMPARISONS: dict[str, Callable[[], Sequence[Claim]]] = {
    tolly_201105.REPORT: tolly_201105.comparisons,
    perform3.REPORT: perform3.comparisons,
}
FIGURES: dict[str, Callable[[], Sequence[Figure]]] = {
    tolly_201105.REPORT: tolly_201105.figures,
    perform3.REPORT: perform3.figures,
}
# Curves that statements are about, simulated as thoroughly as rows.
CURVES: dict[str, Callable[[], Study]] = {netfinity_5500.REPORT: netfinity_5500_curves.study}
STATEMENTS: dict[str, Callable[[], Sequence[Statement]]] = {netfinity_5500.REPORT: netfinity_5500.statements}
COMPUTED: dict[str, Callable[[], Sequence[Computed]]] = {perform3.REPORT: perform3.computed}


def rows(names: Iterable[str] = ()) -> list[Row]:
    """The rows of some reports, of all if none is named. Raises ScenarioError with the nearest right name."""
    return [row for name in _chosen(names) for row in REPORTS[name]()]


def studies(names: Iterable[str] = ()) -> list[Study]:
    """What else is simulated for some reports, for all if none is named. Raises ScenarioError as `rows` does."""
    return [study() for name in _chosen(names) for study in STUDIES[name]]


def comparisons(names: Iterable[str] = ()) -> list[Claim]:
    """What some reports, all if none is named, say about some of their rows. Raises ScenarioError as `rows` does."""
    return [one for name in _chosen(names) if name in COMPARISONS for one in COMPARISONS[name]()]


def figures(names: Iterable[str] = ()) -> list[Figure]:
    """The figures of some reports, of all if none is named. Raises ScenarioError as `rows` does."""
    return [one for name in _chosen(names) if name in FIGURES for one in FIGURES[name]()]


def curves(names: Iterable[str] = ()) -> list[Study]:
    """Curves that some reports, all if none is named, speak of. Raises ScenarioError as `rows` does."""
    return [CURVES[name]() for name in _chosen(names) if name in CURVES]


def statements(names: Iterable[str] = ()) -> list[Statement]:
    """What some reports, all if none is named, say of their curves. Raises ScenarioError as `rows` does."""
    return [one for name in _chosen(names) if name in STATEMENTS for one in STATEMENTS[name]()]


def computed(names: Iterable[str] = ()) -> list[Computed]:
    """What some reports, all if none is named, work out without measuring. Raises ScenarioError as `rows` does."""
    return [one for name in _chosen(names) if name in COMPUTED for one in COMPUTED[name]()]


def _chosen(names: Iterable[str]) -> list[str]:
    chosen = list(dict.fromkeys(names)) or list(REPORTS)
    check(chosen, REPORTS)
    return chosen


def check(names: Iterable[str], known: Iterable[str]) -> None:
    """Raises ScenarioError, with the nearest right name, for one that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ScenarioError(f"no report is called {show(name)}{nearest(name, known)}")
