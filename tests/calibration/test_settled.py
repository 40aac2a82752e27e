"""Rows whose interval is wide are simulated for longer (they may be between two states), and some several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from netsim.calibration import FitSettings, Observation
from netsim.calibration.computing import simulated_rows
from netsim.calibration.problem import Problem
from netsim.calibration.scatter import MOST, steadied
from netsim.catalog import Overlay
from tests.calibration.test_calibrate import CYCLES, TRUTH, models, observations

__all__ = ["models"]  # a fixture
Runs = list[Any]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], Runs]:
    """Sets the half-widths of the runs that follow; returns the list of their limits."""
    import netsim.measure.simulation

    def follow(half_widths: list[float]) -> Runs:
        limits: Runs = []

        def simulate(_: Any, **settings: Any) -> SimpleNamespace:
            limits.append(settings["limit"])
            return SimpleNamespace(throughput=100.0 * len(limits), half_width=half_widths[len(limits) - 1])

        monkeypatch.setattr(netsim.measure.simulation, "unattended", simulate)
        return limits

    return follow


@pytest.mark.parametrize(
    ("half_widths", "found", "limits"),
    [
        ([1.0], 100, ["0.2 s"]),
        ([5.0, 1.0], 200, ["0.2 s", 800_000_000_000]),
        ([5.0, 50.0], 200, ["0.2 s", 800_000_000_000]),
    ],
)
def test_a_run_is_made_longer_if_its_interval_is_wide(
    runs: Callable[[list[float]], Runs], half_widths: list[float], found: float, limits: Runs
) -> None:
    seen = runs(half_widths)
    (row, *_) = observations(TRUTH, CYCLES)
    assert simulated_rows(FitSettings(limit="0.2 s"), [row], {}) == [found]
    assert seen == limits


def test_a_tool_that_ends_by_itself_is_not_simulated_again(runs: Callable[[list[float]], Runs]) -> None:
    seen = runs([50.0])
    simulated_rows(FitSettings(limit=None), observations(TRUTH, CYCLES)[:1], {})
    assert seen == [None]


def test_a_row_that_asks_for_several_runs_gets_the_mean_over_their_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    import netsim.measure.simulation

    def simulate(_: Any, **settings: Any) -> SimpleNamespace:
        return SimpleNamespace(throughput=10.0 ** settings["seed"], half_width=0.0)

    monkeypatch.setattr(netsim.measure.simulation, "unattended", simulate)
    (row, *_) = observations(TRUTH, CYCLES)
    rows = [row, replace(row, runs=3)]
    assert simulated_rows(FitSettings(seed=2), rows[:1], {}) == [100]
    assert simulated_rows(FitSettings(seed=2), rows, {}) == [pytest.approx((100 + 1000 + 10_000) / 3)] * 2


def test_a_value_that_jumps_is_found_and_evened_out() -> None:
    """Of two rows one jumps by 20 %, as soon as a cost changes a little."""

    def jumps(rows: Sequence[Observation], overlay: Overlay) -> list[float]:
        cycles = float(overlay["cpus", "p"]["cycles"].value)  # type: ignore[attr-defined]
        return [row.measured * (1.2 if row.id == "row/1" and round(cycles * 1e6) % 2 else 1.0) for row in rows]

    rows = observations(TRUTH, CYCLES)[:3]
    problem = Problem([CYCLES], rows, {}, jumps, 0.1)
    calm, nervous, other = steadied(problem, np.log([700.0]))
    assert (calm, other) == (rows[0], rows[2])
    assert nervous.runs == MOST
    assert 0.02 < nervous.scatter < 0.12
    assert nervous.precision({}) < calm.precision({}) / 3
