"""Fixtures of several files: the rows of a report, simulated once by the worker that has the report's group."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import reports
from experiments.run import Outcome, run

Outcomes = dict[str, Outcome]


@pytest.fixture(scope="session")
def outcomes_of() -> Callable[[str], Outcomes]:
    """The outcomes of a report's rows, by id."""
    known: dict[str, Outcomes] = {}

    def of(report: str) -> Outcomes:
        if report not in known:
            known[report] = {one.row.id: one for one in run(reports.REPORTS[report].rows())[0]}
        return known[report]

    return of
