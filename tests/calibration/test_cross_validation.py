"""Cross-validation: a group is predicted by the fit that the other rows would have given."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from netsim.calibration import LeftOut, Observation, Parameter, calibrate, cross_validate
from tests.calibration.test_calibrate import CPU, CYCLES, GAP, MEMORY, TRUTH, Trial, models, observations, simulated

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


def test_what_the_group_does_not_move_is_not_simulated_again(models: Path, simulated: list[Trial]) -> None:
    """Rows of another machine, which agree less well: without one of them, the first machine stays as it is."""
    (models / "cpus" / "q.toml").write_text(CPU)
    other = Parameter("cpus/q", "cycles", "300", "100", "5000", "a few instructions to a few cache misses")
    measured = dict(zip(("q/0", "q/1", "q/2"), (1.2e9, 1.1e9, 0.9e9), strict=True))
    build = partial(Trial, machine="q", frames=1, nbytes=100)  # type: ignore[arg-type]
    every = [*rows()[:5], *(Observation(id, value, build) for id, value in measured.items())]
    fit = calibrate([*PARAMETERS, other], every)
    simulated.clear()
    (found,) = cross_validate(fit, every, {"one": ["q/0"]})
    assert {one.machine.catalogue_name for one in simulated} == {"cpus/q"}
    assert [found.values[one.name] for one in PARAMETERS] == list(np.exp(fit.x[:3]))
    assert found.values[other.name] > 1.01 * float(np.exp(fit.x[3]))  # slower without the fastest


@pytest.mark.usefixtures("simulated")
def test_groups_in_parallel_give_the_same() -> None:
    every = rows()
    groups = {"two": [every[1].id, every[7].id], "slow": [row.id for row in every[5:]], "one": [every[0].id]}
    fit = calibrate(PARAMETERS, every)
    with ProcessPoolExecutor(2, get_context("fork")) as executor:  # so that the stand-in for the simulation is there
        parallel = cross_validate(fit, every, groups, executor=executor)
    assert parallel == cross_validate(fit, every, groups)
