"""The reports there are, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from experiments import beowulf
from experiments.row import Row
from netsim.errors import ScenarioError, nearest, show

REPORTS: dict[str, Callable[[], list[Row]]] = {beowulf.REPORT: beowulf.rows}


def rows(names: Iterable[str] = ()) -> list[Row]:
    """The rows of some reports, of all if none is named. Raises ScenarioError with the nearest right name."""
    chosen = list(dict.fromkeys(names)) or list(REPORTS)
    check(chosen, REPORTS)
    return [row for name in chosen for row in REPORTS[name]()]


def check(names: Iterable[str], known: Iterable[str]) -> None:
    """Raises ScenarioError, with the nearest right name, for one that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ScenarioError(f"no report is called {show(name)}{nearest(name, known)}")
