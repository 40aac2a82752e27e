"""python -m experiments.fit [REPORT ...]: fits what the reports' definitions name, prints how well, writes models/."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial

from experiments import (
    beowulf,
    beowulf_fit,
    perform3,
    perform3_fit,
    reports,
    tolly_200233,
    tolly_200233_fit,
    tolly_201105,
    tolly_201105_fit,
)
from experiments.fit_definition import Fit
from experiments.row import Row
from netsim.calibration import Calibration, FitSettings, Observation, calibrate, overlay_of
from netsim.calibration.problem import merged
from netsim.catalog import Overlay
from netsim.errors import NetsimError, ScenarioError, nearest, show
from netsim.results.result import Result

FITS: dict[str, list[Fit]] = {
    beowulf.REPORT: beowulf_fit.FITS,
    tolly_200233.REPORT: tolly_200233_fit.FITS,
    tolly_201105.REPORT: tolly_201105_fit.FITS,
    perform3.REPORT: perform3_fit.FITS,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    options = _parser().parse_args(arguments)
    try:
        run(options.reports, options)
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    return 0


def run(names: Sequence[str], options: argparse.Namespace) -> None:
    """Fit after fit; nothing is written before all are done."""
    chosen = names or list(FITS)
    reports.check(chosen, FITS)
    fits = [fit for name in chosen for fit in FITS[name]]
    rows = {row.id: row for row in reports.rows()}
    with ProcessPoolExecutor(options.jobs) as executor:
        found = in_order(fits, rows, executor, options)
    for one in [] if options.dry_run or options.closed_form else found:
        for path in one.write():
            print(f"written: {path}")


def in_order(
    fits: Sequence[Fit], rows: dict[str, Row], executor: Executor, options: argparse.Namespace
) -> list[Calibration]:
    """Each fit sees what those before it found, and the starts of those that follow: never what models/ says."""
    every = [one for fit in fits for one in fit.parameters]
    fixed: Overlay = overlay_of(every, {one.name: one.first for one in every})
    found = []
    for fit in fits:
        chosen = [observation(_row(rows, name), fit.closed_form) for name in fit.rows]
        result = calibrate(
            fit.parameters,
            chosen,
            fixed=fixed,
            settings=FitSettings(seed=options.seed, limit=options.limit or fit.limit),
            executor=executor,
            simulated=not options.closed_form,
            watch=_watch,
        )
        print(f"\n{fit.name}: {fit.about}\n\n{result}", flush=True)
        fixed = merged(fixed, result.overlay())
        found.append(result)
    return found


def _watch(error: float) -> None:
    print(f"simulated: root mean square error {100 * error:.2f} %", file=sys.stderr, flush=True)


def observation(row: Row, closed_form: bool = True) -> Observation:
    """A row as the calibration sees it, with its closed form or without."""
    estimate = row.estimate if closed_form else None
    return Observation(row.id, row.measured, row.build, partial(_observed, row), estimate, whole=row.scale.whole)


def _observed(row: Row, result: Result) -> float:
    return row.observe(result)[0]


def _row(rows: dict[str, Row], name: str) -> Row:
    if name not in rows:
        raise ScenarioError(f"no row is called {show(name)}{nearest(name, rows)}")
    return rows[name]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments fit", description=__doc__)
    parser.add_argument("reports", nargs="*", metavar="REPORT", help=f"of {', '.join(FITS)}; all if none is named")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument(
        "--closed-form", action="store_true", help="fit only the closed form, in half a minute; writes nothing"
    )
    parser.add_argument("--jobs", type=int, help="processes (default: one per core)")
    parser.add_argument("--seed", type=int, default=1, help="of the simulation (default: 1)")
    parser.add_argument("--limit", help="simulated time of an iteration (default: as each fit says)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
