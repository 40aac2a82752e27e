"""python -m experiments crossvalidate: each card, host, system, tool and report predicted by a calibration without it.

Starts from the calibration of models/ (python -m experiments calibrate), prints the errors, and writes them to
experiments/cross_validation.json. Every row is predicted once for each thing in it that can be left out.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from experiments import calibrated, left_out_errors, reports
from experiments.left_out_errors import KINDS, STORED
from experiments.row import Row
from experiments.several import each
from netsim.calibration import LeftOut, cross_validate
from netsim.errors import NetsimError, ScenarioError
from netsim.export.whole_file import write_whole
from netsim.stack import ComputerSpec


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    parser = argparse.ArgumentParser(prog="python -m experiments crossvalidate", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--jobs", type=int, help="processes (default: one per core)")
    options = parser.parse_args(arguments)
    try:
        found = left_out(reports.rows(), options.jobs)
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    text = record(found)
    print(*left_out_errors.summary(json.loads(text)), sep="\n")
    if not options.dry_run:
        write_whole(STORED, text)
        print(f"written: {STORED}")
    return 0


def left_out(rows: Sequence[Row], jobs: int | None = None) -> list[LeftOut]:
    """Each group of rows, predicted by a calibration without it. Rows computed from others are not counted again, and
    quotients of runs are not simulated: no calibrated parameter affects them alone."""
    measured = [row for row in rows if not row.parts and row.report in calibrated.SPEAK]
    fit = calibrated.stored(rows)
    with ProcessPoolExecutor(jobs) as executor:
        return cross_validate(
            fit,
            [calibrated.observation(row) for row in measured],
            groups(measured),
            settings=calibrated.SETTINGS,
            executor=executor,
        )


def groups(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Ids of rows by what they share: "card sk9843", "host p166" ..."""
    found: dict[str, list[str]] = {}
    for kind in KINDS:
        for row in rows:
            for name in sorted(things(row)[kind]):
                found.setdefault(f"{kind} {name}", []).append(row.id)
    return found


def things(row: Row) -> dict[str, set[str]]:
    """The things that a row tested, by kind: the card that its table names, both hosts or the server, their systems."""
    scenario = each(row.build())[0]
    ends = [one for name in type(scenario).model_fields if isinstance(one := getattr(scenario, name), ComputerSpec)]
    return {
        "card": {str(name) for column, name in row.case.items() if column.endswith("nic")},
        "host": {_name(one.catalogue_name) for one in ends},
        "system": {_name(one.system.catalogue_name) for one in ends},
        "tool": {str(row.case.get("test", type(scenario).__name__))},
        "report": {row.report},
    }


def _name(model: str) -> str:
    return model.rpartition("/")[2]


def record(found: Sequence[LeftOut]) -> str:
    """The text of cross_validation.json: each group's errors by row, in per cent (CPU: points), and the values."""
    names = sorted({name for one in found for name in one.values})
    entries = [
        {
            "group": one.group,
            "errors": {row: round(_percent(row, error), 2) for row, error in one.errors.items()},
            "values": {name: float(f"{one.values[name]:.4g}") for name in names},
        }
        for one in found
    ]
    return json.dumps(entries, indent=1) + "\n"


def _percent(row: str, error: float) -> float:
    return 100 * (error if row.endswith("/cpu") else math.expm1(error))
