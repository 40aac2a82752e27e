"""Every row of every report, simulated as thoroughly as for the error table, is as stored.

The stored results are in experiments/found.json. A row that moves has to be examined; then `python -m experiments` and
`python -m experiments keep` store the new results.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import found, reports
from experiments.row import Row
from experiments.run import Outcome
from netsim.calibration import closed_form

pytestmark = pytest.mark.validation

REPORTS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in reports.REPORTS]
Of = Callable[[str], dict[str, Outcome]]


@pytest.mark.parametrize("report", REPORTS)
def test_rows_are_as_they_were_found(report: str, outcomes_of: Of) -> None:
    """To the stored digits: the same scenarios and seeds give the same numbers on any machine, compiled or not."""
    kept = found.stored()
    for row, one in outcomes_of(report).items():
        assert one.error == pytest.approx(kept[row]["error"], abs=6e-4), row
        assert (one.basis, one.near) == (kept[row]["basis"], kept[row]["near"]), row


@pytest.mark.parametrize("report", REPORTS)
def test_no_row_beats_its_bound(report: str, outcomes_of: Of) -> None:
    """1 % for data in flight when the measurement began; CPU and quotients have no bound."""
    for one in outcomes_of(report).values():
        if one.row.estimate is not None:
            assert of_bound(one.row, one.simulated) <= 1.01, one.row.id


def of_bound(row: Row, simulated: float) -> float:
    """The share of its bound that a row reaches; for a latency, the bound's share of the simulated value. A
    calibration's starting estimate rounds off the corner between two resources; a bound does not."""
    assert row.estimate is not None
    test = row.build()
    estimate = row.estimate(test)
    if row.quantity == "latency":
        return estimate / simulated
    return simulated / estimate * closed_form(test) / test.bounds().limit
