"""A measured row: what a report printed, and the scenario that should give it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netsim.calibrate import closed_form
from netsim.result import Result
from netsim.scenario import Scenario

MEASURED = Path(__file__).parent / "measured"
Figure = tuple[float, float]  # a value and the half-width of its interval


def mbit_s(result: Result) -> Figure:
    """Throughput in Mbit/s."""
    return result.throughput / 1e6, result.half_width / 1e6


def bound_mbit_s(scenario: Scenario) -> float:
    """What the resources allow, in Mbit/s."""
    return closed_form(scenario) / 1e6


@dataclass(frozen=True)
class Row:
    """`case` are the columns that identify the row within its `table`, `id` the same as one text; `group` and `label`
    are for people: what is listed together, and what tells rows of a group apart. `build` makes the scenario from the
    catalogue, `observe` takes the quantity measured from its result, `estimate` from its closed form: functions of a
    module, or partials of one, so that they can go to other processes. `settings` are those of `simulate` that a
    scenario needs which is dear to simulate.
    """

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
    observe: Callable[[Result], Figure] = mbit_s
    estimate: Callable[[Any], float] = bound_mbit_s
    settings: Mapping[str, Any] = field(default_factory=dict)


def read_csv(name: str) -> list[dict[str, str]]:
    """The lines of measured/<name>.csv, column by column."""
    with open(MEASURED / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
