"""A measured row: a value that a report printed, and the scenario that should reproduce it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from experiments.scale import Scale, scale_of
from netsim.calibration import closed_form
from netsim.results import means
from netsim.results.result import Result
from netsim.scenario import Scenario

MEASURED = Path(__file__).parent / "measured"
Observed = tuple[float, float]  # a value and the half-width of its interval, 0 if it has none


def mbit_s(result: Result) -> Observed:
    """Throughput in Mbit/s."""
    return result.throughput / 1e6, result.half_width / 1e6


def cpu_percent(host: str) -> Callable[[Result], Observed]:
    """A host's busy share in per cent, the mean over its processors."""
    return partial(_cpu_percent, host)


def _cpu_percent(host: str, result: Result) -> Observed:
    return 100 * result.cpu[host], 100 * result.cpu_half_width[host]


def performance_efficiency(host: str) -> Callable[[Result], Observed]:
    """P/E of a host (Mbit/s per % of its CPU)."""
    return partial(_performance_efficiency, host)


def _performance_efficiency(host: str, result: Result) -> Observed:
    return per_cpu(result, host, result.performance_efficiency[host])


def per_cpu(result: Result, host: str, value: float) -> Observed:
    """A `value` of throughput over a host's CPU, with the interval of this quotient."""
    one, other = (means.traces(result.samples, name) for name in (None, host))
    found = means.quotient(one, other, result.confidence, result.scenario.alike)
    assert found is not None
    return value, value * found.relative


def bound_mbit_s(scenario: Scenario) -> float:
    """The resources' limit, in Mbit/s."""
    return closed_form(scenario) / 1e6


@dataclass(frozen=True)
class LeftOpen:
    """A choice that a report leaves open. `instead` builds the scenario with each alternative, by what that is."""

    text: str
    instead: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """`case` holds the columns that identify the row within its `table`, and `id` is the same as one string. `group`
    and `label` are for people: rows of a group are listed together, and labels tell them apart. `build` makes the
    scenario from the catalogue, `observe` takes the measured quantity from its result, `estimate` from its closed form
    (None if that does not give it); all are module-level functions or partials of one, so that they can be sent to
    other processes. Where `build` makes `Several` scenarios, `observe` gets a tuple of their results, and `about`
    returns the indices of those that the value is taken from, if not all. `settings` are the arguments of `simulate`
    that a scenario needs; how long it is simulated follows from the tolerance (experiments.job). `allowed` is the
    tolerance where it is smaller than the scale's band. `parts` are the ids of the rows that it is computed from, if it
    was not measured directly. `beside` are the ids of rows measured in the same run. `chosen` lists the choices in its
    scenario that the report leaves open and that were made with knowledge of its rows."""

    report: str
    table: str
    case: Mapping[str, str | int]
    id: str
    group: str
    label: str
    quantity: str
    unit: str
    measured: float
    build: Callable[[], Any]
    observe: Callable[[Any], Observed] = mbit_s
    about: Callable[[Sequence[Result]], Collection[int]] | None = None
    estimate: Callable[[Any], float] | None = bound_mbit_s
    settings: Mapping[str, Any] = field(default_factory=dict)
    allowed: float | None = None
    parts: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    chosen: tuple[LeftOpen, ...] = ()

    @property
    def scale(self) -> Scale:
        """The scale of its error."""
        return scale_of(self.unit)

    @property
    def place(self) -> str:
        """Its group, and its quantity if the group does not name it."""
        return self.group if self.quantity in self.group else f"{self.group}, {self.quantity}"

    @property
    def tolerance(self) -> float:
        """The largest allowed error, on its scale."""
        return self.scale.band if self.allowed is None else self.allowed

    def too_wide(self, half_width: float, share: float) -> float:
        """The ratio of an interval's half-width to a `share` of the tolerance: 1 is narrow enough."""
        return self.scale.spread(half_width, self.measured) / (share * self.tolerance)


def read_csv(name: str) -> list[dict[str, str]]:
    """The lines of measured/<name>.csv, column by column."""
    with open(MEASURED / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
