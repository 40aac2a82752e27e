"""python -m experiments calibrate: fits all parameters to all calibration rows, prints the fit, and writes models/."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from experiments import calibrated, reports
from netsim.calibration import Calibration, calibrate
from netsim.errors import NetsimError, ScenarioError


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    options = _parser().parse_args(arguments)
    try:
        found = fit(options)
        print(found, flush=True)
        for path in [] if options.dry_run or options.closed_form else [*found.write(), calibrated.store(found)]:
            print(f"written: {path}")
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    return 0


def fit(options: argparse.Namespace) -> Calibration:
    """The calibration."""
    rows = calibrated.speaking(reports.rows())
    with ProcessPoolExecutor(options.jobs) as executor:
        return calibrate(
            calibrated.parameters(),
            [calibrated.observation(row) for row in rows],
            settings=replace(calibrated.SETTINGS, seed=options.seed),
            selected=() if options.afresh else calibrated.selected(),
            earlier={} if options.afresh else calibrated.earlier(),
            executor=executor,
            simulated=not options.closed_form,
            watch=_watch,
        )


def _watch(error: float) -> None:
    print(f"simulated: root mean square error {100 * error:.2f} %", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments calibrate", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--afresh", action="store_true", help="forget the rows that the stored one used, and its end")
    parser.add_argument("--closed-form", action="store_true", help="fit only the closed form; writes nothing")
    parser.add_argument("--jobs", type=int, help="processes (default: one per core)")
    parser.add_argument("--seed", type=int, default=1, help="of the simulation (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
