"""Every row of every report, simulated as thoroughly as for the error table, is as it was found before.

What is kept stands in experiments/found.json. A row that moves has to be looked at; then `python -m experiments` and
`python -m experiments keep` take over what is found now.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import found, reports
from experiments.run import Outcome

pytestmark = pytest.mark.validation

REPORTS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in reports.REPORTS]
Of = Callable[[str], dict[str, Outcome]]


@pytest.mark.parametrize("report", REPORTS)
def test_rows_are_as_they_were_found(report: str, outcomes_of: Of) -> None:
    """To the digits that are kept: the same scenarios and seeds give the same numbers on any machine, compiled or not.
    """
    kept = found.stored()
    for row, one in outcomes_of(report).items():
        assert one.error == pytest.approx(kept[row]["error"], abs=6e-4), row
        assert (one.basis, one.near) == (kept[row]["basis"], kept[row]["near"]), row


@pytest.mark.parametrize("report", REPORTS)
def test_no_row_beats_its_bound(report: str, outcomes_of: Of) -> None:
    """1 % for what was on its way when the measurement began; latencies have a least one, and quotients no bound."""
    for one in outcomes_of(report).values():
        row = one.row
        if row.estimate is None:
            continue
        ratio = one.simulated / row.estimate(row.build())
        assert (1 / ratio if row.quantity == "latency" else ratio) <= 1.01, row.id
