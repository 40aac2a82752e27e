"""Simulates rows, several at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from tqdm import tqdm

from experiments.row import Row
from experiments.several import Several, each
from experiments.study import Point
from netsim.errors import SimulationError
from netsim.measure.simulation import unattended
from netsim.results.result import Result
from netsim.scenario import Scenario

THOROUGH: dict[str, Any] = {"precision": 0.003}
QUICK: dict[str, Any] = {"precision": 0.01}
QUICK_LIMIT: dict[str, Any] = {"limit": "1 s"}
PICTURE: dict[str, Any] = {"precision": 0.02, "limit": "0.3 s"}

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """A row with what the simulation found, in the row's unit; `cpu` host -> share, `cpu_by_name` host -> what its
    processors do -> share.

    `addresses` are those of the fitted parameters in its scenario; `fitted` says that one was fitted to this very row.
    """

    row: Row
    simulated: float
    half_width: float
    bottleneck: str
    bottleneck_share: float
    cpu: dict[str, float]
    cpu_by_name: dict[str, dict[str, float]]
    converged: bool
    addresses: tuple[str, ...]
    fitted: bool

    @property
    def error(self) -> float:
        """How far the simulation is above the measurement, on the row's scale."""
        return self.row.scale.error(self.simulated, self.row.measured)

    @property
    def near(self) -> bool:
        """Whether the error is within the row's tolerance."""
        return abs(self.error) <= self.row.tolerance

    @property
    def error_percent(self) -> float:
        """How far the simulation is above the measurement, in per cent of it."""
        return 100 * (self.simulated / self.row.measured - 1)

    @property
    def basis(self) -> str:
        """ "fitted" if a parameter was fitted to this row, else "predicted"."""
        return "fitted" if self.fitted else "predicted"


def outcome(row: Row, scenario: Scenario | Several, results: Sequence[Result]) -> Outcome:
    """A row with what the simulation of its scenario gave. What is in the way, and what processors do, is that of the
    fastest one, if there are several."""
    sources = {at: source for at, source in scenario.provenance().items() if source.kind == "fitted"}
    simulated, half_width = row.observe(tuple(results) if isinstance(scenario, Several) else results[0])
    result = max(results, key=lambda one: one.throughput)
    return Outcome(
        row=row,
        simulated=simulated,
        half_width=half_width,
        bottleneck=result.bottleneck,
        bottleneck_share=result.bottleneck_share,
        cpu=dict(result.cpu),
        cpu_by_name={host: result.cpu_by_name(host) for host in result.cpu},
        converged=all(one.converged for one in results),
        addresses=tuple(sorted(sources)),
        fitted=any(one in source.rows for source in sources.values() for one in (row.id, *row.parts, *row.beside)),
    )


def run(
    rows: Sequence[Row], points: Sequence[Point] = (), *, quick: bool = False, jobs: int | None = None, seed: int = 1
) -> tuple[list[Outcome], list[tuple[Point, Result]]]:
    """All rows, and points of curves beside them, in parallel over the cores, in the orders given; a progress bar if a
    person is watching. What several need is simulated once."""
    settings = QUICK if quick else THOROUGH
    wanted: dict[str, _Job] = {}

    def job(name: str, scenario: Scenario, own: Mapping[str, Any]) -> str:
        one = _Job(name, scenario, seed, settings | dict(own))
        return wanted.setdefault(one.key, one).key

    built = [row.build() for row in rows]
    by_row = [
        [job(row.id, one, _own(row, scenario, quick)) for one in each(scenario)]
        for row, scenario in zip(rows, built, strict=True)
    ]
    by_point = [job(f"{point.series} {point.x:g}", point.build(), point.settings) for point in points]
    results = dict(zip(wanted, _in_parallel([one.simulate for one in wanted.values()], jobs), strict=True))
    outcomes = [
        outcome(row, scenario, [results[key] for key in keys])
        for row, scenario, keys in zip(rows, built, by_row, strict=True)
    ]
    return outcomes, [(point, results[key]) for point, key in zip(points, by_point, strict=True)]


def _own(row: Row, scenario: Scenario | Several, quick: bool) -> Mapping[str, Any]:
    """A row's settings: one of several scenarios is cut short where it has to be quick."""
    return {**row.settings, **QUICK_LIMIT} if quick and isinstance(scenario, Several) else row.settings


@dataclass(frozen=True)
class _Job:
    """A scenario to be simulated; `name` is that of who asked for it first."""

    name: str
    scenario: Scenario
    seed: int
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        return f"{self.scenario.digest()} {sorted(self.settings.items())}"

    def simulate(self) -> Result:
        """Raises SimulationError, with the name, for a run that can't finish."""
        try:
            return unattended(self.scenario, seed=self.seed, **self.settings)
        except SimulationError as error:
            raise SimulationError(f"{self.name}: {error}") from None


def explore(points: Sequence[Point], *, jobs: int | None = None, seed: int = 1) -> list[tuple[Point, Result]]:
    """The points of a study, in the same way, as precisely as a picture shows."""
    return _in_parallel([partial(_explored, point, seed) for point in points], jobs)


def _explored(point: Point, seed: int) -> tuple[Point, Result]:
    return point, unattended(point.build(), seed=seed, **PICTURE | dict(point.settings))


def _in_parallel(jobs: Sequence[Callable[[], T]], processes: int | None) -> list[T]:
    with ProcessPoolExecutor(processes) as executor:
        futures = [executor.submit(job) for job in jobs]
        try:
            for done in _watched(futures):
                done.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _watched(futures: Sequence[Future[T]]) -> Iterator[Future[T]]:
    silent = not sys.stderr.isatty()
    yield from tqdm(as_completed(futures), total=len(futures), leave=False, disable=silent)
