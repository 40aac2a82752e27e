"""python -m experiments [REPORT ...]: simulates the measured rows of reports and says how far off it is.

Prints the error table, and writes rows.json and index.html into build/validation.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path

from experiments import figure, fit, page, parameters, record, reports, sensitivity, table
from experiments.comparison import compare
from experiments.run import explore, run
from experiments.statement import judge
from netsim.calibrate.toml_edit import write_atomically
from netsim.errors import NetsimError, ScenarioError

BUILD = Path("build/validation")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["fit"]:
        return fit.main(arguments[1:])
    if arguments[:1] == ["sensitivity"]:
        return sensitivity.main()
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    return 0


def _run(options: argparse.Namespace) -> None:
    rows = reports.rows(options.reports)
    curves = [] if options.quick else reports.curves(options.reports)
    by_curve = [curve.points() for curve in curves]
    folder = writable(options.build)
    started = time.monotonic()
    outcomes, found = run(rows, list(chain(*by_curve)), quick=options.quick, jobs=options.jobs, seed=options.seed)
    elapsed = time.monotonic() - started
    left = iter(found)
    drawn = [(curve, curve.draw(list(islice(left, len(own))))) for curve, own in zip(curves, by_curve, strict=True)]
    studies = [] if options.quick else reports.studies(options.reports)
    drawn += [(study, study.draw(explore(study.points(), jobs=options.jobs, seed=options.seed))) for study in studies]
    compared = compare(reports.comparisons(options.reports), outcomes)
    judged = judge(reports.statements(options.reports), found) if curves else []
    computed = reports.computed(options.reports)
    figures = figure.draw(reports.figures(options.reports), outcomes)
    numbers = parameters.used(rows)
    counts = parameters.counts(numbers)
    write_atomically(folder / "rows.json", record.record(outcomes, counts, elapsed, compared, judged))
    write_atomically(folder / "index.html", page.page(outcomes, numbers, drawn, compared, figures, computed, judged))
    print(table.table(outcomes, compared, computed, judged))
    print(*table.parameters(counts, sum(not row.parts for row in rows)), sep="\n")
    print(f"\n{len(rows)} rows in {elapsed:.0f} s; written: {folder / 'rows.json'}, {folder / 'index.html'}")


def writable(folder: Path) -> Path:
    """The folder, made if need be. Raises ScenarioError if nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ScenarioError(f"{folder} can't be written to: {error.strerror}") from None
    return folder


def _parser() -> argparse.ArgumentParser:
    known = ", ".join(reports.REPORTS)
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("reports", nargs="*", metavar="REPORT", help=f"of {known}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="coarser, still every row; no curves, no studies")
    parser.add_argument("--jobs", type=_positive, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--seed", type=int, default=1, help="of the simulation (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help="where to (default: %(default)s)")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; allowed: 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
