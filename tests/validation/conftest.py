"""What several files need: the rows of a report, simulated once by the worker that has the report's group."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import found, reports
from experiments.run import Outcome, run

Outcomes = dict[str, Outcome]


@pytest.fixture(scope="session")
def outcomes_of() -> Callable[[str], Outcomes]:
    """The outcomes of a report's rows, by id; of long ones, those of a short run."""
    known: dict[str, Outcomes] = {}

    def of(report: str) -> Outcomes:
        if report not in known:
            rows = reports.REPORTS[report].rows()
            short = found.shortly(rows)
            own = run([row for row in rows if row.id not in {one.row.id for one in short}])[0]
            known[report] = {one.row.id: one for one in [*own, *short]}
        return known[report]

    return of
