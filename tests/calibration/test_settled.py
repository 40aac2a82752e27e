"""A row whose interval is wide is simulated for longer: it may be on its way from one state to another."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from netsim.calibration import FitSettings
from netsim.calibration.fit import simulated_rows
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
        ([5.0, 50.0, 60.0], 300, ["0.2 s", 800_000_000_000, 3_200_000_000_000]),
    ],
)
def test_a_run_is_made_longer_until_its_interval_is_narrow(
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
