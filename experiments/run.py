"""Simulates rows, several at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from experiments.basis import Basis, basis, chosen
from experiments.job import Job, observed
from experiments.pool import in_parallel
from experiments.row import Row
from experiments.several import Several
from experiments.study import Point
from netsim.measure.simulation import unattended
from netsim.results.result import Result
from netsim.scenario import Scenario

THOROUGH, QUICK = 1 / 4, 1 / 2  # of a row's tolerance: the half-width of its interval, at most
QUICK_LIMIT: dict[str, Any] = {"limit": "1 s"}
PICTURE: dict[str, Any] = {"precision": 0.02, "limit": "0.3 s"}


@dataclass(frozen=True)
class Outcome:
    """A row with its simulated value, in the row's unit; `cpu` is host -> share, `cpu_by_name` host -> name of the
    work -> share. A half-width of at most `wanted` was requested, in the unit of the row's errors.

    `addresses` are those of the fitted parameters in its scenario, `chosen` the choices made with knowledge of the row.
    """

    row: Row
    simulated: float
    half_width: float
    bottleneck: str
    bottleneck_share: float
    cpu: dict[str, float]
    cpu_by_name: dict[str, dict[str, float]]
    wanted: float
    addresses: tuple[str, ...]
    basis: Basis
    chosen: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """The half-width of its error's interval, on the row's scale."""
        return self.row.scale.spread(self.half_width, self.row.measured)

    @property
    def converged(self) -> bool:
        """Whether its interval is as narrow as its tolerance requires."""
        return self.spread <= self.wanted

    @property
    def missed(self) -> str:
        """The half-width reached if it has not converged, else ""."""
        text = self.row.scale.text
        asked = f"half-width {text(f'{self.spread:.2g}')} where {text(f'{self.wanted:.2g}')} was asked for"
        return "" if self.converged else f"not converged: {asked}"

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


def outcome(
    row: Row, scenario: Scenario | Several, results: Sequence[Result], share: float = THOROUGH
) -> Outcome:
    """The outcome of a row from the results of its scenario; its interval should be a `share` of its tolerance. With
    several scenarios, the bottleneck and the processor time are those of the fastest."""
    sources = scenario.provenance()
    simulated, half_width = observed(row, scenario, results)
    result = max(results, key=lambda one: one.throughput)
    return Outcome(
        row=row,
        simulated=simulated,
        half_width=half_width,
        bottleneck=result.bottleneck,
        bottleneck_share=result.bottleneck_share,
        cpu=dict(result.cpu),
        cpu_by_name={host: result.cpu_by_name(host) for host in result.cpu},
        wanted=share * row.tolerance,
        addresses=tuple(sorted(at for at, source in sources.items() if source.kind == "fitted")),
        basis=basis(row, sources),
        chosen=tuple(chosen(row, sources)),
    )


def run(
    rows: Sequence[Row], points: Sequence[Point] = (), *, quick: bool = False, jobs: int | None = None, seed: int = 1
) -> tuple[list[Outcome], list[tuple[Point, Result]]]:
    """Simulates all rows and the points of curves in parallel over the cores; returns them in the order given. Shows a
    progress bar on a terminal. A scenario that several rows share is simulated once, for as long as the most demanding
    row requires."""
    share = QUICK if quick else THOROUGH
    by_row = [Job(row.id, scenario := row.build(), _own(row, scenario, quick), seed, share) for row in rows]
    by_point = [Job(f"{point.series} {point.x:g}", point.build(), point.settings, seed, share) for point in points]
    wanted: dict[tuple[str, ...], Job] = {}
    for row, job in zip(rows, by_row, strict=True):
        wanted.setdefault(job.keys, job).rows.append(row)
    known = {key for keys in wanted for key in keys}
    wanted |= {job.keys: job for job in by_point if not known.issuperset(job.keys)}
    # Jobs with several scenarios take longest and start first, so that no process waits long for another at the end.
    ordered = sorted(wanted, key=len, reverse=True)
    found = in_parallel([wanted[keys].simulate for keys in ordered], jobs)
    by_key = {key: one for keys, own in zip(ordered, found, strict=True) for key, one in zip(keys, own, strict=True)}
    outcomes = [
        outcome(row, job.scenario, [by_key[key] for key in job.keys], share)
        for row, job in zip(rows, by_row, strict=True)
    ]
    return outcomes, [(point, by_key[job.keys[0]]) for point, job in zip(points, by_point, strict=True)]


def _own(row: Row, scenario: Scenario | Several, quick: bool) -> Mapping[str, Any]:
    """A row's settings; in a quick run, a row of several scenarios is cut short."""
    return {**row.settings, **QUICK_LIMIT} if quick and isinstance(scenario, Several) else row.settings


def explore(points: Sequence[Point], *, jobs: int | None = None, seed: int = 1) -> list[tuple[Point, Result]]:
    """Simulates the points of a study in the same way, as precisely as a picture needs."""
    return in_parallel([partial(_explored, point, seed) for point in points], jobs)


def _explored(point: Point, seed: int) -> tuple[Point, Result]:
    return point, unattended(point.build(), seed=seed, **PICTURE | dict(point.settings))
