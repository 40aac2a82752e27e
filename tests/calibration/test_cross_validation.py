"""Cross-validation: a group is predicted by the fit that the other rows would have given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from netsim.calibration import LeftOut, Observation, calibrate, cross_validate
from tests.calibration.test_calibrate import CYCLES, GAP, MEMORY, TRUTH, Trial, models, observations, simulated

__all__ = ["models", "simulated"]  # fixtures
PARAMETERS = [CYCLES, MEMORY, GAP]


def rows() -> list[Observation]:
    """Rows that agree, and a group for which all code takes four times as long."""
    agree = [replace(row, repeatability=0.01) for row in observations(TRUTH, *PARAMETERS)]
    slow = observations(TRUTH | {CYCLES.name: 4 * TRUTH[CYCLES.name]}, *PARAMETERS)
    return [*agree, *(replace(row, id=f"slow/{row.id}", repeatability=0.01) for row in slow)]


def left_out(every: list[Observation], ids: list[str]) -> LeftOut:
    fit = calibrate(PARAMETERS, every)
    (found,) = cross_validate(fit, every, {"slow": ids})
    return found


@pytest.mark.usefixtures("simulated")
def test_it_is_the_fit_to_the_other_rows_even_if_the_group_had_led_far_from_it() -> None:
    every = rows()
    ids = [row.id for row in every if row.id.startswith("slow/")]
    alone = calibrate(PARAMETERS, [row for row in every if row.id not in ids])
    assert calibrate(PARAMETERS, every).values[CYCLES.name] > 1.3 * alone.values[CYCLES.name]
    found = left_out(every, ids)
    assert [found.values[one.name] for one in PARAMETERS] == pytest.approx(list(alone.values.values()), rel=0.01)
    assert list(found.errors) == ids
    assert all(error > 0 for error in found.errors.values())  # simulated faster than the slow ones were


@pytest.mark.usefixtures("simulated")
def test_what_is_left_out_has_no_say() -> None:
    """However it was measured, only its own errors differ, by as much."""
    every = rows()
    ids = [row.id for row in every if row.id.startswith("slow/")]
    other = [replace(row, measured=row.measured / 2) if row.id in ids else row for row in every]
    one, two = left_out(every, ids), left_out(other, ids)
    assert list(two.values.values()) == pytest.approx(list(one.values.values()), rel=0.01)
    assert np.array([two.errors[row] - one.errors[row] for row in ids]) == pytest.approx(np.log(2), abs=0.01)


def test_each_point_is_simulated_once_for_all_groups(simulated: list[Trial]) -> None:
    every = rows()
    fit = calibrate(PARAMETERS, every)
    ids = [row.id for row in every]
    simulated.clear()
    cross_validate(fit, every, {"one": ids[:1]})
    alone = len(simulated)
    simulated.clear()
    cross_validate(fit, every, {"one": ids[:1], "the same": ids[:1]})
    assert len(simulated) == alone
