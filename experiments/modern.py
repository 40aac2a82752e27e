"""The common part of reports on current hosts: reading their files, labelling rows, and fitting costs.

A row is labelled by what models/ says: "fitted" if a number was fitted to it, "chosen" if an assumption was made with
knowledge of it, else "predicted".
"""

from __future__ import annotations

import csv
import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from experiments.basis import Basis
from netsim import catalog
from netsim.calibration import Calibration, FitSettings, Observation, Parameter, calibrate

MEASURED = Path(__file__).parent / "measured"


class Observed(Protocol):
    """A row that can be fitted to."""

    @property
    def id(self) -> str:
        """Its name, as in the provenance of numbers fitted to it."""

    @property
    def observation(self) -> Observation:
        """The row as a fit uses it."""


class Sources(NamedTuple):
    """The rows that numbers of models/ were `fitted` to, and patterns of rows that influenced assumptions."""

    fitted: frozenset[str]
    chosen: frozenset[str]

    @classmethod
    def of(cls, files: Iterable[str]) -> Sources:
        """The sources in files of models/, such as "kernels/linux-5.4"."""
        found = [source for file in files for _, _, source in catalog.describe(file)]
        fitted, chosen = (
            frozenset(row for source in found if (source.kind == "fitted") is kind for row in source.rows)
            for kind in (True, False)
        )
        return cls(fitted, chosen)

    def basis(self, row: str) -> Basis:
        """The label of a row."""
        if row in self.fitted:
            return "fitted"
        return "chosen" if any(fnmatch.fnmatch(row, pattern) for pattern in self.chosen) else "predicted"


def lines(name: str) -> Iterator[dict[str, str]]:
    """The lines of a file of measured values, without its comments."""
    with (MEASURED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def fit_in_turn(fitted_to: Mapping[str, str], rows: Sequence[Observed], settings: FitSettings) -> list[Calibration]:
    """Fits the parameters pattern by pattern, those that share a pattern together, and writes each fit at once."""
    found = []
    for pattern in dict.fromkeys(fitted_to.values()):
        names = [name for name, own in fitted_to.items() if own == pattern]
        observed = [row.observation for row in rows if fnmatch.fnmatch(row.id, pattern)]
        found.append(calibrate([Parameter.of(name) for name in names], observed, settings=settings))
        found[-1].write()
    return found
