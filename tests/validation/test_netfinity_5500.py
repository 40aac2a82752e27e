"""The report on the Netfinity 5500: ServerBench's quotients, and the bottlenecks that the report names, at points that
show them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import netfinity_5500, parameters
from experiments.netfinity_5500 import REPORT, SERVER_BENCH, row_id
from experiments.row import Row
from experiments.run import Outcome, run
from experiments.statement import judge
from experiments.study import Point
from netsim.results.result import Result

pytestmark = [pytest.mark.validation, pytest.mark.xdist_group(REPORT)]  # one worker simulates the rows for all tests

ROWS = [row for row in netfinity_5500.rows() if row.id == row_id(SERVER_BENCH, int(row.case["raid"]))]
STATEMENTS = [one for one in netfinity_5500.statements() if one.text.startswith(SERVER_BENCH)]
SHOWN = {(SERVER_BENCH, 4), (SERVER_BENCH, 8), (SERVER_BENCH, 36), (SERVER_BENCH, 60)}
Found = list[tuple[Point, Result]]
Of = Callable[[str], dict[str, Outcome]]


@pytest.fixture(scope="session")
def shown() -> Found:
    """Some points of the curves, each simulated once."""
    points = [one for one in netfinity_5500.points() if (one.series.partition(",")[0], one.x) in SHOWN]
    return run([], points)[1]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_quotient_is_as_near_as_it_has_to_be(row: Row, outcomes_of: Of) -> None:
    assert abs(outcomes_of(REPORT)[row.id].error) <= row.tolerance


def test_nothing_is_fitted_to_it(outcomes_of: Of) -> None:
    assert all(outcomes_of(REPORT)[row.id].basis == "predicted" for row in ROWS)
    sources = [one.provenance for one in parameters.used(netfinity_5500.rows())]
    assert not any(REPORT in row for source in sources for row in source.rows)


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one.id)
def test_it_limits_as_the_report_says(one: netfinity_5500.Statement, shown: Found) -> None:
    (judged,) = judge([one], shown)
    assert judged.holds, judged.found


def test_raid_5_pays_for_what_is_written(shown: Found) -> None:
    """With 60 clients, only half of the memory needed is available. (test_server_knees tests, with more time, that both
    clocks are equally fast then.)"""
    at_60 = {point.series: result for point, result in shown if point.x == 60}
    for clock in (500, 450):
        stripes, parity = (at_60[netfinity_5500.series(SERVER_BENCH, clock, level)].throughput for level in (0, 5))
        assert parity < 0.6 * stripes
