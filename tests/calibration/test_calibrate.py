"""Calibration: known parameters are recovered, undetermined ones are reported, files keep every other byte."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from netsim import catalog
from netsim.accounts import Bounds, Resource
from netsim.calibration import Calibration, Observation, Parameter, addresses, calibrate, check, closed_form, overlay_of
from netsim.calibration.computing import simulated_rows
from netsim.calibration.fit_settings import FitSettings
from netsim.calibration.problem import Problem
from netsim.calibration.toml_edit import replace_value
from netsim.errors import ScenarioError
from netsim.export.whole_file import write_whole
from netsim.spec import Spec
from netsim.units import ByteRate, Count, Cycles, Time

PROCESSOR, WIRE = Resource("host", "processor"), Resource("host", "cable")
CPU = """\
# A processor.
title = "A processor"   # with a comment

cycles = { value = 900, kind = "assumed", reason = "a # is no comment here, nor is a }" } # kept
memory = { value = "100 MB/s", kind = "fitted", source = "netsim.calibrate", sd = 1, rows = [
    "old/row",  # with ] in it
] }

[stack]
first = 10   # kept as well
second = { value = 20, kind = "assumed", reason = "a guess" }
gap = { value = "3 us", kind = "assumed", reason = "a guess" }
"""


class Stack(Spec):
    """Two costs that always occur together."""

    first: Cycles
    second: Cycles
    gap: Time


class Machine(Spec):
    """A processor with a memory."""

    catalogue: ClassVar[str] = "cpus"

    cycles: Cycles
    memory: ByteRate
    stack: Stack


class Trial(Spec):
    """A stand-in for a measurement: `frames` bear the processor's costs, `nbytes` those of memory."""

    machine: Machine
    frames: Count
    nbytes: Count

    def bounds(self) -> Bounds:
        """The machine's time, and a wire that never binds."""
        machine = self.machine
        cycles = self.frames * machine.cycles + machine.stack.first + machine.stack.second
        time = cycles * 1e3 + self.nbytes / machine.memory * 1e12 + machine.stack.gap
        return Bounds({PROCESSOR: time, WIRE: 1.0}, 1000)


class Level(Trial):
    """A wire takes as long as the processor with 10 frames."""

    def bounds(self) -> Bounds:
        """Both."""
        time = self.frames * self.machine.cycles * 1e3
        return Bounds({PROCESSOR: time, WIRE: 10 * 900 * 1e3}, 1000)


def level(frames: int) -> Level:
    return Level(machine="p", frames=frames, nbytes=1)


TRUTH = {"cpus/p:cycles": 700.0, "cpus/p:memory": 130.0, "cpus/p:stack.gap": 9.0}
CYCLES = Parameter("cpus/p", "cycles", "300", "100", "5000", "a few instructions to a few cache misses")
MEMORY = Parameter("cpus/p", "memory", "80 MB/s", "20 MB/s", "500 MB/s", "memory of the time")
GAP = Parameter("cpus/p", "stack.gap", "1 us", "0.1 us", "50 us", "anything")
FIRST = Parameter("cpus/p", "stack.first", "500", "100", "5000", "one of two that come together")
SECOND = Parameter("cpus/p", "stack.second", "500", "100", "5000", "the other one")


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder with one processor."""
    (tmp_path / "cpus").mkdir()
    (tmp_path / "cpus" / "p.toml").write_text(CPU)
    monkeypatch.setattr("netsim.catalog.models.models_path", lambda: tmp_path)
    return tmp_path


def scenario(frames: int, nbytes: int) -> Trial:
    return Trial(machine="p", frames=frames, nbytes=nbytes)


def observations(truth: dict[str, float], *parameters: Parameter, error: float = 0.0) -> list[Observation]:
    """Rows as measured if `truth` held, alternately a little too high and too low."""
    rows = []
    for number, (frames, nbytes) in enumerate([(1, 100), (10, 100), (1, 5000), (20, 2000), (5, 10000)]):
        build: Callable[[], Trial] = partial(scenario, frames, nbytes)
        with catalog.overlay(overlay_of(parameters, truth)):
            measured = build().bounds().limit
        rows.append(Observation(f"row/{number}", measured * (1 + error * (-1) ** number), build))
    return rows


def fitted(*parameters: Parameter, error: float = 0.0) -> Calibration:
    return calibrate(parameters, observations(TRUTH, CYCLES, MEMORY, GAP, error=error), simulated=False)


def test_known_values_are_found_again() -> None:
    fit = fitted(CYCLES, MEMORY, GAP)
    assert fit.values == pytest.approx(TRUTH, rel=1e-3)
    assert np.max(np.abs(fit.errors)) < 1e-4
    assert fit.confused == []
    assert fit.at_bounds() == []


def test_two_equal_resources_are_not_rounded_off() -> None:
    """The measured bound itself is found again, although the search begins on a smooth closed form below it."""
    rows = [
        Observation(f"row/{frames}", level(frames).bounds().limit, partial(level, frames))
        for frames in (8, 10, 12)
    ]
    near = Parameter("cpus/p", "cycles", "900", "500", "2000", "near the other resource")
    fit = calibrate([near], rows, simulated=False)
    assert fit.values["cpus/p:cycles"] == pytest.approx(900, rel=1e-3)
    assert np.max(np.abs(fit.errors)) < 1e-3


def test_errors_of_measurement_stay_within_the_standard_deviations() -> None:
    fit = fitted(CYCLES, MEMORY, GAP, error=0.004)
    assert np.max(np.abs(fit.errors)) > 1e-4
    for name, value in TRUTH.items():
        assert abs(fit.values[name] - value) < 3 * fit.sds[name]


def test_standard_deviation_is_that_of_the_rows() -> None:
    fit = calibrate([CYCLES], [observations(TRUTH, CYCLES, MEMORY, GAP)[1]], simulated=False)
    slope = abs(fit.slopes[0, 0])  # one row, one parameter: the row's 0.5 % over the slope, since no bound is near
    assert fit.sds[CYCLES.name] == pytest.approx(fit.values[CYCLES.name] * 0.005 / slope, rel=0.05)
    assert fit.scale == 1.0


def test_scatter_shows_as_far_as_parameters_do_not_follow_it() -> None:
    """One row that no value explains: its parameter, which stays in the middle of its range, costs no freedom."""
    row = observations(TRUTH, CYCLES)[0]
    bound = row.build().bounds().limit
    flat = Observation("flat", bound * 2, partial(level, 1), repeatability=0.01)  # the wire limits it
    fit = calibrate([Parameter("cpus/p", "cycles", "300", "100", "5000", "too little")], [flat], simulated=False)
    assert fit.values[CYCLES.name] == pytest.approx(math.sqrt(100 * 5000), rel=1e-3)
    assert fit.scale == pytest.approx(abs(fit.errors[0]) / 0.01)
    assert f"standard deviations are scaled by {fit.scale:.2f}" in str(fit)


def test_a_bound_costs_no_degree_of_freedom() -> None:
    row = replace(observations(TRUTH, CYCLES)[1], repeatability=0.01)
    low = Parameter("cpus/p", "cycles", "300", "100", "400", "too low")
    fit = calibrate([low], [row], simulated=False)
    assert fit.at_bounds() == [low.name]
    assert fit.scale == pytest.approx(abs(fit.errors[0]) / 0.01)


def test_too_few_rows_show_no_scatter() -> None:
    fit = calibrate([CYCLES], observations(TRUTH, CYCLES)[1:2], simulated=False)
    assert (fit.scatters, fit.scale) == (False, 1.0)
    assert "too few rows to estimate their scatter: standard deviations are not scaled" in str(fit)


def test_parameters_that_always_come_together_are_named() -> None:
    fit = fitted(CYCLES, FIRST, SECOND)
    assert [FIRST.name, SECOND.name] in [sorted(group) for group in fit.confused]
    assert f"rows can't tell {FIRST.name} from {SECOND.name}" in str(fit)
    assert fit.correlation[1, 2] < -0.5


def test_values_at_a_bound_are_named() -> None:
    low = Parameter("cpus/p", "cycles", "300", "100", "400", "too low")
    fit = fitted(low, MEMORY)
    assert fit.at_bounds() == [low.name]
    assert f"{low.name} is at its bound" in str(fit)


def test_prior_and_posterior_stand_side_by_side() -> None:
    """With the rows that determine a parameter most, and by how much they narrow its range."""
    fit = fitted(CYCLES, MEMORY, GAP, error=0.004)
    line = next(line for line in str(fit).splitlines() if line.startswith(CYCLES.name))
    assert "707.1  100 - 5000 " in line  # the middle, and the range
    assert f"{fit.values[CYCLES.name]:.10g}" in line
    assert f"{fit.narrowed(CYCLES):.1f}x" in line
    first, *_ = strongest = fit.strongest(CYCLES)
    assert line.endswith(f"  {', '.join(strongest)}")
    slopes = {row.id: abs(slope) for row, slope in zip(fit.rows, fit.slopes[:, 0], strict=True)}
    assert first == max(slopes, key=slopes.__getitem__)
    assert fit.narrowed(CYCLES) == pytest.approx(
        CYCLES.width * fit.values[CYCLES.name] / fit.sds[CYCLES.name], rel=0.1
    )


def test_only_rows_with_influence_are_written() -> None:
    fit = fitted(CYCLES, MEMORY, GAP)
    slopes = fit.slopes.copy()
    slopes[:3, 2] = 0.0099, -0.0099, 0.0
    assert fit.influences(GAP) == ["row/0", "row/1", "row/2", "row/3", "row/4"]
    assert replace(fit, slopes=slopes).influences(GAP) == ["row/3", "row/4"]


def test_what_no_row_speaks_of_is_not_written(models: Path) -> None:
    fit = fitted(CYCLES, MEMORY, GAP)
    with pytest.raises(ScenarioError, match=r"cpus/p:stack.gap: no row depends on it"):
        replace(fit, slopes=fit.slopes * np.array([1, 1, 0])).write()
    assert (models / "cpus" / "p.toml").read_text() == CPU


def test_what_is_written_reads_back_and_nothing_else_changes(models: Path) -> None:
    fit = fitted(CYCLES, MEMORY, GAP)
    assert fit.write() == [models / "cpus" / "p.toml"]
    text = (models / "cpus" / "p.toml").read_text()
    machine = Machine.from_name("p")
    assert machine.cycles == fit.values[CYCLES.name]
    assert machine.memory == pytest.approx(fit.values[MEMORY.name] * 1e6)
    assert machine.provenance()["stack.gap"].rows == tuple(fit.influences(GAP))
    assert machine.provenance()["cycles"].sd == fit.sds[CYCLES.name]
    kept = [line for line in CPU.splitlines() if not line.startswith(("cycles", "memory", "gap", "    ", "]"))]
    assert [line for line in text.splitlines() if line in kept] == kept
    assert "\n] } # kept\n" in text


def test_fitting_and_writing_again_changes_nothing(models: Path) -> None:
    fitted(CYCLES, MEMORY, GAP, error=0.004).write()
    before = (models / "cpus" / "p.toml").read_bytes()
    assert fitted(CYCLES, MEMORY, GAP, error=0.004).write() == []
    assert (models / "cpus" / "p.toml").read_bytes() == before
    assert [entry.name for entry in (models / "cpus").iterdir()] == ["p.toml"]


def test_simulation_follows_the_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation is 3 % below the closed form for one kind of row: the fit must follow the simulation."""
    import netsim.measure.simulation

    def simulate(test: Trial, **_: object) -> SimpleNamespace:
        slower = 0.97 if test.frames > 5 else 1.0
        return SimpleNamespace(throughput=slower * closed_form(test), half_width=0.0)  # type: ignore[arg-type]

    monkeypatch.setattr(netsim.measure.simulation, "unattended", simulate)
    rows = observations(TRUTH, CYCLES, MEMORY, GAP)
    measured = [
        Observation(row.id, row.measured * (0.97 if row.build().frames > 5 else 1.0), row.build) for row in rows
    ]
    fit = calibrate([CYCLES, MEMORY, GAP], measured)
    assert fit.values == pytest.approx(TRUTH, rel=2e-3)
    off = calibrate([CYCLES, MEMORY, GAP], measured, simulated=False)
    assert off.values[CYCLES.name] != pytest.approx(TRUTH[CYCLES.name], rel=1e-2)


FULL = 60e6  # ps: a processor's time for a row's frames


def cpu(test: Trial) -> float:
    """The load that a processor would report (%): the share of its time for a row's frames."""
    return 100 * test.bounds().demand[PROCESSOR] / FULL


def cpu_rows(truth: dict[str, float], repeatability: float = 0.005) -> list[Observation]:
    """CPU loads of the same scenarios as `observations`; they have no closed form."""
    rows = []
    for one in observations(truth, CYCLES, MEMORY, GAP):
        with catalog.overlay(overlay_of([CYCLES, MEMORY, GAP], truth)):
            measured = cpu(one.build())
        observe = attrgetter("cpu")
        rows.append(Observation(f"{one.id}/cpu", measured, one.build, observe, None, repeatability, whole=100.0))
    return rows


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[Trial]:
    """The simulation is the closed form, with the processor's share; the scenarios simulated, in order."""
    import netsim.measure.simulation

    seen: list[Trial] = []

    def simulate(test: Trial, **_: object) -> SimpleNamespace:
        seen.append(test)
        return SimpleNamespace(throughput=closed_form(test), half_width=0.0, cpu=cpu(test))  # type: ignore[arg-type]

    monkeypatch.setattr(netsim.measure.simulation, "unattended", simulate)
    return seen


@pytest.mark.usefixtures("simulated")
def test_rows_of_cpu_alone_give_a_parameter() -> None:
    """Without any closed form, from the parameter's start."""
    fit = calibrate([CYCLES, MEMORY, GAP], cpu_rows(TRUTH))
    assert fit.values == pytest.approx(TRUTH, rel=2e-3)
    assert re.search(r"row/0/cpu +[+-]0.0[01] % of 100", str(fit))


@pytest.mark.usefixtures("simulated")
def test_rows_of_cpu_decide_what_throughput_leaves_open() -> None:
    """Two rows of throughput alone can't determine three parameters."""
    rows = [*observations(TRUTH, CYCLES, MEMORY, GAP)[:2], *cpu_rows(TRUTH)[2:]]
    fit = calibrate([CYCLES, MEMORY, GAP], rows)
    assert fit.values == pytest.approx(TRUTH, rel=2e-3)
    with pytest.raises(ScenarioError, match="2 rows can't determine 3 parameters"):
        calibrate([CYCLES, MEMORY, GAP], rows, simulated=False)


def test_an_error_of_a_share_counts_in_points() -> None:
    """One point is one point, whether the processor is nearly idle or nearly busy; a throughput's error is relative."""
    low, high = (Observation("", measured, scenario, whole=100.0) for measured in (2.0, 90.0))
    assert low.error(3.0) == high.error(91.0) == pytest.approx(0.01)
    slow, fast = (Observation("", measured, scenario) for measured in (2.0, 90.0))
    assert slow.error(2.02) == pytest.approx(fast.error(90.9)) == pytest.approx(np.log(1.01))


def test_a_rows_tolerance_is_its_weight(simulated: list[Trial]) -> None:
    """Rows that contradict each other: the fit is closer to those with the better repeatability."""
    throughputs, shares = observations(TRUTH, CYCLES), cpu_rows(TRUTH | {CYCLES.name: 900.0})
    sure = calibrate([CYCLES], [*throughputs, *(replace(row, repeatability=1e-4) for row in shares)])
    unsure = calibrate([CYCLES], [*throughputs, *(replace(row, repeatability=1.0) for row in shares)])
    assert sure.values[CYCLES.name] > 850
    assert unsure.values[CYCLES.name] < 750
    assert simulated


def test_rows_of_one_scenario_share_its_simulation(simulated: list[Trial]) -> None:
    def work(rows: list[Observation]) -> int:
        simulated.clear()
        problem = Problem([CYCLES, GAP], rows, {}, partial(simulated_rows, FitSettings()), 0.1)
        problem.jacobian(np.log([700.0, 9.0]))
        return len(simulated)

    throughputs, shares = observations(TRUTH, CYCLES, MEMORY, GAP), cpu_rows(TRUTH)
    assert work(throughputs) == work([*throughputs, *shares]) == 5 * (1 + 2)


def test_rows_left_out_are_checked_with_the_values_of_a_fit(simulated: list[Trial]) -> None:
    """Or with those of models/, which are not the true ones; each scenario is simulated once for all its rows."""
    *seen, throughput = observations(TRUTH, CYCLES, MEMORY, GAP)
    left_out = [throughput, cpu_rows(TRUTH)[-1]]  # of the same scenario
    fit = calibrate([CYCLES, MEMORY, GAP], seen, simulated=False)
    simulated.clear()
    assert check(left_out, values=fit.overlay()) == pytest.approx([0, 0], abs=1e-3)
    assert len(simulated) == 1
    true, now = (one.bounds().demand[PROCESSOR] for one in (simulated[0], throughput.build()))
    assert check(left_out) == pytest.approx([np.log(true / now), (now - true) / FULL], abs=1e-3)


def test_scenarios_that_only_look_alike_do_not_share(models: Path, simulated: list[Trial]) -> None:
    """Two files with the same numbers, one of them fitted."""
    (models / "cpus" / "q.toml").write_text(CPU)
    rows = [Observation(one, 1.0, partial(Trial, machine=one, frames=1, nbytes=100)) for one in ("p", "q", "p")]
    same: dict[tuple[str, str], dict[str, object]] = {("cpus", "q"): {"cycles": CYCLES.first}}
    problem = Problem([CYCLES], rows, same, partial(simulated_rows, FitSettings()), 0.1)
    p, q, again = problem.errors(np.log([2 * CYCLES.first]))
    assert p == again != q
    assert len(simulated) == 2


def test_a_parameter_stands_at_every_address_of_its_file() -> None:
    row = observations(TRUTH, CYCLES, MEMORY, GAP)[0]
    assert addresses([CYCLES, GAP], row) == {CYCLES.name: ["machine.cycles"], GAP.name: ["machine.stack.gap"]}


def test_fixed_values_take_the_place_of_those_in_models() -> None:
    rows = observations(TRUTH, CYCLES, MEMORY, GAP)
    fixed = overlay_of([MEMORY, GAP], TRUTH)
    assert calibrate([CYCLES], rows, fixed=fixed, simulated=False).values == pytest.approx({CYCLES.name: 700}, rel=1e-3)


def test_impossible_fits_are_refused(models: Path) -> None:
    (models / "cpus" / "q.toml").write_text(CPU)
    rows = observations(TRUTH, CYCLES, MEMORY, GAP)
    with pytest.raises(ScenarioError, match="1 rows can't determine 2 parameters"):
        calibrate([CYCLES, MEMORY], rows[:1], simulated=False)
    elsewhere = Parameter("cpus/q", "cycles", "3", "1", "5", "not used by any row")
    with pytest.raises(ScenarioError, match="cpus/q:cycles: no row depends on it"):
        calibrate([elsewhere], rows, simulated=False)


@pytest.mark.parametrize(("start", "low", "high"), [("1 us", "2 us", "3 us"), ("1 us", "0 us", "3 us")])
def test_start_lies_within_positive_bounds(start: str, low: str, high: str) -> None:
    with pytest.raises(ScenarioError, match="0 < low <= start <= high"):
        Parameter("cpus/p", "stack.gap", start, low, high, "")


def test_start_and_bounds_share_a_unit() -> None:
    with pytest.raises(ScenarioError, match="the same unit"):
        Parameter("cpus/p", "stack.gap", "1 us", "1 ns", "3 us", "")


def test_a_range_has_a_width() -> None:
    told = r"^cpus/p:cycles: low 5, start 5, high 5 are not allowed; allowed: .*, and low < high$"
    with pytest.raises(ScenarioError, match=told):
        Parameter("cpus/p", "cycles", "5", "5", "5", "")


def test_numbers_without_a_unit_need_no_quotes() -> None:
    found = Parameter("cpus/p", "cycles", np.int64(300), 100, 5000.0, "numbers")  # type: ignore[arg-type]
    assert (found.start, found.low, found.high, found.unit) == ("300", "100", "5000.0", "")


@pytest.mark.parametrize("start", ["fast", "", None, True, [1]])
def test_what_is_no_number_is_refused(start: object) -> None:
    with pytest.raises(ScenarioError, match=r"^cpus/p:cycles: start: .* is not allowed; allowed: a number"):
        Parameter("cpus/p", "cycles", start, "100", "5000", "")  # type: ignore[arg-type]


# ---- choice of rows ----


def crowd() -> list[Observation]:
    """Ten rows of each scenario: one has nearly as much information as all ten."""
    rows = observations(TRUTH, CYCLES, MEMORY, GAP)
    return [replace(row, id=f"{row.id}/{copy}") for copy in range(10) for row in rows]


def test_rows_that_tell_no_more_are_predicted() -> None:
    """Three parameters need few rows, which give the same values as all of them."""
    fit = calibrate([CYCLES, MEMORY, GAP], crowd(), simulated=False, settings=FitSettings(share=0.9))
    assert 3 <= np.sum(fit.seen) < 25
    assert fit.values == pytest.approx(TRUTH, rel=1e-3)
    assert fit.errors == pytest.approx(np.zeros(50), abs=1e-4)
    assert {row.id for row, seen in zip(fit.rows, fit.seen, strict=True) if seen} >= set(fit.influences(CYCLES))
    assert str(fit).count("  predicted\n") == 50 - np.sum(fit.seen)
    assert f"not fitted to: {50 - np.sum(fit.seen)} rows" in str(fit)


def test_what_was_measured_does_not_choose_rows_nor_count_where_they_are_predicted() -> None:
    """Measured values of rows outside the fit affect only their own errors."""
    settings = FitSettings(share=0.9)
    fit = calibrate([CYCLES, MEMORY, GAP], rows := crowd(), simulated=False, settings=settings)
    other = [row if own else replace(row, measured=3 * row.measured) for row, own in zip(rows, fit.seen, strict=True)]
    again = calibrate([CYCLES, MEMORY, GAP], other, simulated=False, settings=settings)
    assert again.x.tolist() == fit.x.tolist()
    assert again.used == fit.used
    assert again.errors[~fit.seen] == pytest.approx(fit.errors[~fit.seen] - np.log(3), abs=1e-6)


def test_an_earlier_selection_is_kept_while_it_tells_enough() -> None:
    """Of twins, a fresh selection takes the first; the last ones tell as much. Where they don't, others are added."""
    settings = FitSettings(share=0.9)
    first = calibrate([CYCLES, MEMORY, GAP], rows := crowd(), simulated=False, settings=settings)
    ids = [row.id for row in rows]
    twins = [ids[number % 5 + 45 - 5 * (number // 5)] for number in first.used]
    fit = calibrate([CYCLES, MEMORY, GAP], rows, simulated=False, settings=settings, selected=twins)
    assert [ids[number] for number in sorted(fit.used)] == sorted(twins, key=ids.index)
    assert fit.values == pytest.approx(first.values, rel=1e-6)
    more = calibrate([CYCLES, MEMORY, GAP], rows, simulated=False, settings=settings, selected=twins[:1])
    assert twins[0] in [ids[number] for number in more.used]
    assert len(more.used) == pytest.approx(len(twins), abs=1)


def two_valleys(trial: Trial) -> float:
    """An error with a valley at 200 cycles, and a higher one at 1,200 (the parameters' scale is logarithmic)."""
    offset = math.log(trial.machine.cycles / 490)
    return (offset**2 - 0.8) ** 2 + 0.1 * offset + 0.2


def test_a_search_goes_on_from_an_earlier_end_if_that_is_better() -> None:
    row = Observation("row", 0.0, partial(scenario, 1, 100), estimated=two_valleys, repeatability=0.01, whole=1.0)
    low, high = (replace(CYCLES, start=start) for start in ("150", "2000"))
    deep, shallow = (calibrate([one], [row], simulated=False).values[CYCLES.name] for one in (low, high))
    assert deep < 490 < shallow
    first = partial(calibrate, [high], [row], simulated=False)
    assert first(earlier={CYCLES.name: deep}).values[CYCLES.name] == pytest.approx(deep, rel=1e-3)
    for worse in ({CYCLES.name: 5000}, {MEMORY.name: 100}):
        assert first(earlier=worse).values[CYCLES.name] == pytest.approx(shallow, rel=1e-3)


def test_a_fit_without_some_rows_takes_others_that_tell_the_same() -> None:
    fit = calibrate([CYCLES, MEMORY, GAP], crowd(), simulated=False, settings=FitSettings(share=0.9))
    left_out = fit.influences(MEMORY)
    kept = fit.kept(left_out)
    assert not set(left_out) & {fit.rows[number].id for number in kept}
    assert set(kept) - set(np.flatnonzero(fit.seen))
    assert np.exp(fit.without(left_out)) == pytest.approx(list(TRUTH.values()), rel=1e-2)


# ---- temporary values ----


def test_rows_that_the_model_cannot_meet_count_less_than_their_repeatability() -> None:
    """Rows that contradict each other by far more than their repeatability: the model's own error shows it, and
    explains their scatter."""
    rows = observations(TRUTH, CYCLES, error=0.3)
    trusting = calibrate([CYCLES], rows, simulated=False)
    wary = calibrate([CYCLES], rows, simulated=False, settings=FitSettings(discrepancy=0.05))
    assert trusting.discrepancy == {}
    assert 0.1 < wary.discrepancy[""] < 0.5
    assert wary.scale < 0.3 * trusting.scale
    assert "the model's own error" in str(wary)
    assert "the model's own error" not in str(trusting)


def test_overlay_holds_within_and_for_what_inherits(models: Path) -> None:
    (models / "cpus" / "q.toml").write_text('base = "p"\nmemory = "1 MB/s"\n')
    with catalog.overlay({("cpus", "p"): {"cycles": 1, "stack.first": 2, "memory": "2 MB/s"}}):
        p, q = Machine.from_name("p"), Machine.from_name("q")
    assert (p.cycles, p.stack.first, p.memory) == (1, 2, 2_000_000)
    assert (q.cycles, q.stack.first, q.stack.second, q.memory) == (1, 2, 20, 1_000_000)
    assert Machine.from_name("p").cycles == 900


def test_overlay_ends_with_an_error_too() -> None:
    with pytest.raises(ScenarioError), catalog.overlay({("cpus", "p"): {"cycles": "many"}}):
        Machine.from_name("p")
    assert Machine.from_name("p").cycles == 900


# ---- the edit ----


@pytest.mark.parametrize(
    ("text", "address", "edited"),
    [
        ("a = 1\nb = 2\n", "a", "a = 9\nb = 2\n"),
        ("a = 1 # one\n", "a", "a = 9 # one\n"),
        ("a = 1", "a", "a = 9"),
        ("[t]\na = 1\n[u]\na = 1\n", "u.a", "[t]\na = 1\n[u]\na = 9\n"),
        ("t.a = 1\n", "t.a", "t.a = 9\n"),
        ('[t]\r\na = "x # y" # z\r\n', "t.a", "[t]\r\na = 9 # z\r\n"),
        ('a = """\nb = 1\n"""\nb = 2\n', "b", 'a = """\nb = 1\n"""\nb = 9\n'),
        ("a = [\n 1, # ]\n 2,\n]\nb = 3\n", "a", "a = 9\nb = 3\n"),
        ("[t]\na = { v = 1, w = [\n 2,\n] } # one\n", "t.a", "[t]\na = 9 # one\n"),
        ("[t]\na = 1\n[u]\nb = 2\n[t.x]\nc = 3\n", "t.a", "[t]\na = 9\n[u]\nb = 2\n[t.x]\nc = 3\n"),
        ("[t]\na = 1\n[u]\nb = 2\n[t.x]\nc = 3\n", "t.x.c", "[t]\na = 1\n[u]\nb = 2\n[t.x]\nc = 9\n"),
    ],
)
def test_edit_replaces_the_value_alone(text: str, address: str, edited: str) -> None:
    assert replace_value(text, address, "9") == edited
    tomllib.loads(edited)


def test_edit_writes_a_fitted_value_over_several_lines() -> None:
    fitted = '{ value = "1 us", rows = [\n    "x",\n    "y",\n] }'
    assert replace_value("a = { value = 2 } # why\nb = 3\n", "a", fitted) == f"a = {fitted} # why\nb = 3\n"


def test_edit_names_the_nearest_address() -> None:
    with pytest.raises(ScenarioError, match=r'tx_cycle: no such value in the file \(did you mean "tx_cycles"\?\)'):
        replace_value("tx_cycles = 1\n", "tx_cycle", "2")


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_whole(path, "after")
    assert path.read_text() == "before"
    assert list(tmp_path.glob(".file*")) == []


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"measured": -1.0}, "row: measured: -1.0 is not allowed; allowed: a number above 0"),
        ({"measured": 0.0}, "row: measured: 0.0 is not allowed; allowed: a number above 0"),
        ({"measured": math.nan}, "row: measured: .* is not allowed; allowed: a number above 0"),
        ({"measured": math.inf, "whole": 100.0}, "row: measured: .* is not allowed; allowed: a number$"),
        ({"repeatability": 0.0}, "row: repeatability: 0.0 is not allowed; allowed: a number above 0"),
        ({"measured": "76 Mbit/s"}, 'row: measured: "76 Mbit/s" is not allowed; allowed: a number above 0'),
        ({"repeatability": "1%"}, 'row: repeatability: "1%" is not allowed; allowed: a number above 0'),
        ({"whole": 0.0}, "row: whole: 0.0 is not allowed; allowed: a number above 0"),
    ],
)
def test_a_row_that_can_not_be_weighed_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        Observation(**{"id": "row", "measured": 1.0, "build": scenario, **given})


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"^parameters: \[\] is not allowed; allowed: at least one$"):
        calibrate([], observations(TRUTH, CYCLES))


def test_a_parameter_that_is_there_twice_is_refused() -> None:
    """Neither would have a slope of its own."""
    told = r'^parameters: 2 have the name "cpus/p:cycles"; allowed: a different one for each$'
    with pytest.raises(ScenarioError, match=told):
        calibrate([CYCLES, CYCLES], observations(TRUTH, CYCLES))


def test_rows_of_the_same_id_are_refused() -> None:
    """They would count twice."""
    rows = observations(TRUTH, CYCLES)
    with pytest.raises(ScenarioError, match=r'^rows: 2 have the id "row/1"; allowed: a different one for each$'):
        calibrate([CYCLES], [*rows, rows[1]])


def test_the_root_mean_square_is_of_errors_as_shown() -> None:
    """Shares, not logarithms: it is between the smallest and the largest."""
    row = observations(TRUTH, CYCLES)[0]
    rows = [replace(row, id=str(number), measured=row.measured * 10) for number in range(2)]
    text = str(replace(fitted(CYCLES), rows=rows, errors=np.log([0.5, 0.5]), slopes=np.ones((2, 1)), used=None))
    assert "-50.00 %" in text
    assert "2 rows, root mean square 50.00 %" in text
