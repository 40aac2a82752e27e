"""Leaps: a search finds costs that a wire hides, never ends with a worse fit, and computes nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from netsim import catalog
from netsim.accounts.bounds import Bounds
from netsim.calibration import Observation, Parameter, calibrate
from netsim.calibration.leaps import beyond_flats, leapt
from netsim.calibration.problem import Key, Matrix, Problem
from netsim.catalog import Overlay
from netsim.spec import Spec
from netsim.units import Count, Cycles

CPU = 'cycles = { value = 1, kind = "assumed", reason = "a guess" }\n'
NEAR = Parameter("cpus/p", "cycles", "100", "20", "500", "few")
FAR = Parameter("cpus/q", "cycles", "500", "100", "2500", "many")
MIDDLE = np.array([NEAR.middle, FAR.middle])
LOW, HIGH = np.array([NEAR.log_bounds, FAR.log_bounds]).T
NO_WIRE = 10**6


class Machine(Spec):
    """A processor."""

    catalogue: ClassVar[str] = "cpus"

    cycles: Cycles


class Way(Spec):
    """Frames pass two processors, which take turns, and a wire."""

    first: Machine
    second: Machine
    wire: Count

    @property
    def rate(self) -> float:
        """The bottleneck's rate; the other resource has no effect."""
        return min(self.wire, 1e6 / (self.first.cycles + self.second.cycles))

    def bounds(self) -> Bounds:
        """Not used."""
        raise NotImplementedError


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A models folder with two processors."""
    (tmp_path / "cpus").mkdir()
    for name in ("p", "q"):
        (tmp_path / "cpus" / f"{name}.toml").write_text(CPU)
    monkeypatch.setattr("netsim.catalog.models.models_path", lambda: tmp_path)


def row(id: str, machines: str, measured: float, wire: int = NO_WIRE) -> Observation:
    """A row with two machines, each p or q."""
    build: Callable[[], Way] = partial(Way, first=machines[0], second=machines[1], wire=wire)  # type: ignore[arg-type]
    return Observation(id, measured, build, lambda result: float(result.rate), None, repeatability=0.05)


def hidden(measured: float = 800, wire: int = 1000) -> list[Observation]:
    """One machine is known from a row of its own. The other takes 1150 cycles, by a row that a wire seems to limit."""
    return [row("near", "pp", 5000), row("both", "pq", measured, wire)]


class Counted:
    """A problem of such rows, and its computations since `clear`: the rows' ids and their values of parameters."""

    def __init__(self, rows: Sequence[Observation], updated: bool = False, known: dict[Key, float] | None = None):
        self.seen: list[tuple[list[str], Overlay]] = []
        shared = {} if known is None else known
        self.problem = Problem([NEAR, FAR], rows, {}, self._compute, 0.1, updated=updated, known=shared)

    @property
    def ids(self) -> list[str]:
        return [one for ids, _ in self.seen for one in ids]

    def solve(self, start: Matrix) -> Matrix:
        """A search by slopes."""
        self.problem.secant = None
        return self.problem.solve(start, 1e-5, 50)

    def _compute(self, rows: Sequence[Observation], overlay: Overlay) -> list[float]:
        self.seen.append(([one.id for one in rows], overlay))
        with catalog.overlay(overlay):
            return [rows[0].build().rate] * len(rows)


@pytest.mark.parametrize("updated", [False, True])
def test_a_cost_is_found_beyond_the_flat_where_a_wire_limits(updated: bool) -> None:
    counted = Counted(hidden(), updated)
    alone = counted.solve(MIDDLE)
    assert counted.problem.errors(alone)[1] == pytest.approx(np.log(1000 / 800))
    assert alone[1] == pytest.approx(FAR.middle, abs=1e-3)
    found = beyond_flats(counted.problem, alone, counted.solve)
    assert counted.problem.errors(found) == pytest.approx([0, 0], abs=0.01)
    assert np.exp(found) == pytest.approx([100, 1150], rel=0.02)


def test_a_flat_wider_than_a_standard_deviation_is_crossed() -> None:
    """The wire hides costs of up to 1567 cycles; one standard deviation from the middle is 1266."""
    counted = Counted(hidden(measured=450, wire=600))
    found = beyond_flats(counted.problem, counted.solve(MIDDLE), counted.solve)
    assert counted.problem.errors(found)[1] == pytest.approx(0, abs=0.02)


def test_leaps_never_end_worse_nor_beyond_bounds() -> None:
    """For any measured values and any wires."""
    draws, better = np.random.default_rng(1), 0
    for _ in range(60):
        measured, wires = np.exp(draws.uniform(np.log(300), np.log(8000), (2, 3)))
        pairs = zip(["pp", "pq", "qq"], measured, wires, strict=True)
        counted = Counted([row(machines, machines, rate, int(wire)) for machines, rate, wire in pairs])
        alone = counted.solve(MIDDLE)
        for found in (leapt(counted.problem, alone), beyond_flats(counted.problem, alone, counted.solve)):
            assert counted.problem.cost(found) <= counted.problem.cost(alone)
            assert np.all((found >= LOW) & (found <= HIGH))
        better += counted.problem.cost(found) < counted.problem.cost(alone) - 1
    assert 5 < better < 55


def test_the_same_leaps_again() -> None:
    first, second = (Counted(hidden()) for _ in range(2))
    ends = [beyond_flats(one.problem, one.solve(MIDDLE), one.solve).tolist() for one in (first, second)]
    assert ends[0] == ends[1]
    assert first.ids == second.ids


def test_no_leap_is_tried_that_cannot_pay() -> None:
    """Every row has slopes, or is met already: nothing is computed, and the point stays."""
    counted = Counted([row("near", "pp", 5000), row("both", "pq", 1500), row("limited", "qq", 700, wire=700)])
    x = counted.solve(MIDDLE)
    counted.problem.slopes(x)
    counted.seen.clear()
    assert leapt(counted.problem, x) is x
    assert counted.ids == []


def test_what_a_bound_leaves_a_little_of_is_no_leap() -> None:
    """The wire hides the row's better value, on the side where the range ends soon; the other side is tried."""
    counted = Counted(hidden(measured=300, wire=400))
    x = np.array([np.log(100), HIGH[1] - 0.2 * FAR.width])
    counted.problem.slopes(x)
    counted.seen.clear()
    assert leapt(counted.problem, x) is x
    tried = [np.exp(x[1] - leap * FAR.width) for leap in (1, 2, 3)]
    values = [overlay["cpus", "q"]["cycles"].value for _, overlay in counted.seen]  # type: ignore[attr-defined]
    assert values == pytest.approx(tried)


def test_a_gain_like_the_simulations_noise_is_none() -> None:
    """The wire is 9 % too fast for the row, whose repeatability is 5 %: a leap gains 1, which could be chance."""
    counted = Counted(hidden(measured=731, wire=800))
    x = counted.solve(MIDDLE)
    gain = counted.problem.cost(x) - counted.problem.cost(x + np.array([0, FAR.width]))
    assert 0.5 < gain < 1.5
    assert leapt(counted.problem, x) is x


def test_slopes_are_taken_anew_after_a_leap() -> None:
    """The slopes before it are zero there."""
    counted = Counted(hidden(), updated=True)
    x = counted.solve(MIDDLE)
    assert counted.problem.slopes(x)[1, 1] == 0
    there = leapt(counted.problem, x)
    assert there[1] == pytest.approx(x[1] + FAR.width)
    assert counted.problem.slopes(there)[1, 1] < -0.5


def test_rows_that_do_not_depend_on_a_parameter_are_not_computed_again() -> None:
    counted = Counted([*hidden(), row("both again", "pq", 900, wire=1000)])
    counted.problem.errors(MIDDLE)
    assert counted.ids == ["near", "both", "both again"]
    counted.seen.clear()
    counted.problem.errors(MIDDLE + np.array([0, 0.5]))
    assert [ids for ids, _ in counted.seen] == [["both", "both again"]]
    counted.seen.clear()
    counted.problem.errors(MIDDLE + np.array([0.5, 0]))
    assert [ids for ids, _ in counted.seen] == [["near"], ["both", "both again"]]


def test_rows_in_one_scenario_depend_on_the_same() -> None:
    problem = Counted([*hidden(), row("both again", "pq", 900, wire=1000), row("turned", "qp", 900, wire=1000)]).problem
    assert problem.together == [(0,), (1, 2), (1, 2), (3,)]
    for number, together in enumerate(problem.together):
        assert all((problem.depends[number] == problem.depends[other]).all() for other in together)


def test_problems_share_what_they_know() -> None:
    known: dict[Key, float] = {}
    every, one = hidden(), hidden()[1:]
    whole = Counted(every, known=known)
    errors = whole.problem.errors(MIDDLE)
    part = Counted(every[1:], known=known)
    assert part.problem.errors(MIDDLE) == errors[1:]
    assert part.ids == []
    assert Counted(one, known=known).problem.errors(MIDDLE) == errors[1:]


def test_a_calibration_by_simulation_leaps(monkeypatch: pytest.MonkeyPatch) -> None:
    import netsim.measure.simulation

    monkeypatch.setattr(
        netsim.measure.simulation,
        "unattended",
        lambda way, **_: SimpleNamespace(rate=way.rate, throughput=way.rate, half_width=0.0),
    )
    fit = calibrate([NEAR, FAR], hidden())
    assert fit.errors == pytest.approx([0, 0], abs=0.01)
    assert fit.values == pytest.approx({NEAR.name: 100, FAR.name: 1150}, rel=0.02)


def test_wide_slopes_tell_what_a_wire_hides_here() -> None:
    """The wire limits the row here and at any lower cost, but not at a cost one standard deviation higher."""
    problem = Counted(hidden()).problem
    assert problem.slopes(MIDDLE)[1, 1] == 0
    both = np.exp(MIDDLE[0]), np.exp(MIDDLE[1] + FAR.width)
    assert problem.wide_slopes(MIDDLE)[1, 1] == pytest.approx(np.log(1e6 / sum(both) / 1000) / FAR.width)


def test_wide_slopes_look_the_other_way_where_a_bound_ends_one() -> None:
    problem = Counted([row("free", "qq", 1000)]).problem
    at_bound = np.array([MIDDLE[0], HIGH[1]])
    assert problem.wide_slopes(at_bound)[0] == pytest.approx([0, -1])
