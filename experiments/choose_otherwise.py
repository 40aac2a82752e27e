"""python -m experiments alternatives: simulates rows again with each choice made with knowledge of them made otherwise.

A choice is an assumed number of models/ that names rows, or something that a report leaves open. Its alternatives are
the number's `instead`, or else the ends of its range; what a report leaves open says its own. One choice at a time is
changed. Prints how far rows move, and writes experiments/alternatives.json.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from experiments import alternatives, parameters, reports
from experiments.alternatives import STORED, Alternative
from experiments.basis import names
from experiments.pool import in_parallel
from experiments.row import Row
from netsim import catalog
from netsim.catalog import Overlay
from netsim.errors import NetsimError, ScenarioError
from netsim.export.whole_file import write_whole
from netsim.measure.simulation import unattended

Errors = Mapping[str, float]  # by row id, on the row's scale
# Other choices can make a run swing too much for rows' own precision, so each iteration has an end.
SETTINGS: dict[str, Any] = {"precision": 0.005, "limit": "5 s"}


@dataclass(frozen=True)
class Change:
    """One alternative: the rows that its choice was made with knowledge of, with the scenarios to simulate, and the
    values of models/ that it changes."""

    choice: str
    value: str
    rows: Sequence[Row]
    overlay: Overlay

    @property
    def digest(self) -> str:
        """That of its scenarios."""
        return hashlib.sha256("".join(_digest(row, self.overlay) for row in self.rows).encode()).hexdigest()[:12]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    parser = argparse.ArgumentParser(prog="python -m experiments alternatives", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--jobs", type=int, help="processes (default: one per core)")
    options = parser.parse_args(arguments)
    try:
        found = simulated(changes(reports.rows()), options.jobs)
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    print(*table(found), sep="\n")
    if not options.dry_run:
        write_whole(STORED, alternatives.text(found))
        print(f"written: {STORED}")
    return 0


def changes(rows: Sequence[Row]) -> list[Change]:
    """Every alternative to a choice made with knowledge of some of the rows."""
    return [*_numbers(rows), *_left_open(rows)]


def _numbers(rows: Sequence[Row]) -> Iterator[Change]:
    as_it_is = {row.id: _digest(row, {}) for row in rows}
    for number in parameters.used(rows):
        source = number.provenance
        if source.kind == "assumed" and source.rows:
            category, _, file = number.name.partition(":")[0].partition("/")
            seen = [row for row in rows if names(source.rows, row)]
            for value in source.instead or source.range or ():
                overlay: Overlay = {(category, file): {number.address: value}}
                if changed := [row for row in seen if _digest(row, overlay) != as_it_is[row.id]]:
                    text = f"{value:g}" if isinstance(value, float) else str(value)
                    yield Change(number.name, text, changed, overlay)


def _digest(row: Row, overlay: Overlay) -> str:
    """That of the row's scenario under other values of models/."""
    with catalog.overlay(overlay):
        return str(row.build().digest())


def _left_open(rows: Sequence[Row]) -> Iterator[Change]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        for choice in row.chosen:
            for value, build in choice.instead.items():
                found.setdefault((choice.text, value), []).append(replace(row, build=build))
    for (text, value), changed in found.items():
        yield Change(text, value, changed, {})


def simulated(every: Sequence[Change], jobs: int | None = None) -> list[Alternative]:
    """How far each change moves its rows. Rows that share a scenario share a run."""
    tasks = [(one, rows) for one in (_as_is(every), *every) for rows in _by_run(one.rows)]
    found = in_parallel([partial(_errors, one.overlay, rows) for one, rows in tasks], jobs)
    errors: dict[tuple[str, str], dict[str, float]] = {}
    for (one, _), own in zip(tasks, found, strict=True):
        errors.setdefault((one.choice, one.value), {}).update(own)
    before, *after = errors.values()
    return [
        Alternative(one.choice, one.value, one.digest, {row: round(own[row] - before[row], 3) for row in own})
        for one, own in zip(every, after, strict=True)
    ]


def _as_is(every: Iterable[Change]) -> Change:
    """The rows of all changes, unchanged."""
    known = {row.id: row for row in reports.rows()}
    return Change("", "", [known[name] for name in dict.fromkeys(row.id for one in every for row in one.rows)], {})


def _by_run(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows by what is simulated for them."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((row.build, *sorted(row.settings.items())), []).append(row)
    return list(found.values())


def _errors(overlay: Overlay, rows: Sequence[Row]) -> Errors:
    """The errors of rows that share a scenario, under other values of models/."""
    with catalog.overlay(overlay):
        scenario = rows[0].build()
    result = unattended(scenario, **SETTINGS | dict(rows[0].settings))
    return {row.id: row.scale.error(row.observe(result)[0], row.measured) for row in rows}


def table(found: Sequence[Alternative]) -> Iterator[str]:
    """How many rows each alternative moves, and the farthest."""
    yield f"{'choice':<52}{'instead':<16}{'rows':>5}{'moved':>7}   farthest"
    tolerance = {row.id: row.tolerance for row in reports.rows()}
    for one in found:
        far = [row for row, distance in one.moved.items() if abs(distance) > alternatives.WEIGHT * tolerance[row]]
        most = max(one.moved, key=lambda row: abs(one.moved[row]) / tolerance[row])
        yield f"{one.choice:<52.51}{one.value:<16}{len(one.moved):>5}{len(far):>7}   {one.moved[most]:+.1f} {most}"
