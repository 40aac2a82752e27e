"""python -m experiments [REPORT ...]: simulates the measured rows of reports and prints the errors.

Prints the error table, and writes rows.json, index.html and each row's scenario into build/validation.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from experiments import (
    calibrate,
    calibrated,
    choose_otherwise,
    cross_validate,
    found,
    left_out_errors,
    page,
    parameters,
    record,
    reports,
    scenario_files,
    sensitivity,
    settle,
    table,
)
from experiments.comparison import compare
from experiments.report import Report
from experiments.run import Outcome, explore, run
from experiments.section import Section
from experiments.statement import judge
from experiments.study import Found, Study
from netsim.calibration import Calibration
from netsim.errors import NetsimError, ScenarioError
from netsim.export.whole_file import write_whole

BUILD = Path("build/validation")
COMMANDS = {
    "alternatives": choose_otherwise.main,
    "calibrate": calibrate.main,
    "crossvalidate": cross_validate.main,
    "keep": found.main,
    "sensitivity": sensitivity.main,
    "settle": settle.main,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, 1 for a run that failed, 2 for a user's mistake."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and (command := COMMANDS.get(arguments[0])):
        return command(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except NetsimError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ScenarioError) else 1
    return 0


def _run(options: argparse.Namespace) -> None:
    chosen = reports.chosen(options.reports)
    folder = writable(options.build)
    started = time.monotonic()
    simulated = _simulated(chosen, options)
    elapsed = time.monotonic() - started
    together = zip(chosen, _explored(chosen, options), simulated, strict=True)
    sections = [_section(report, studies, *rows) for report, studies, rows in together]
    outcomes = [one for section in sections for one in section.outcomes]
    compared = [one for section in sections for one in section.compared]
    judged = [one for section in sections for one in section.judged]
    computed = [one for section in sections for one in section.computed]
    rows = [one.row for one in outcomes]
    numbers = parameters.used(rows)
    counts = parameters.counts(numbers)
    write_whole(folder / "rows.json", record.record(outcomes, counts, elapsed, compared, judged))
    left_out = left_out_errors.stored()
    settled = None if options.quick else settle.settle(rows, numbers, jobs=options.jobs)
    scenarios = scenario_files.of(rows)
    scenarios.write(folder)
    text = page.page(sections, numbers, left_out, _calibration(), settled, scenarios.by_row)
    write_whole(folder / "index.html", text)
    print(table.table(outcomes, compared, computed, judged, left_out))
    print(*table.parameters(counts, sum(not row.parts for row in rows)), sep="\n")
    if not options.quick and options.seed == 1 and (moved := found.moved(outcomes)):
        print(f"\nnot as kept in {found.STORED.name}: {', '.join(moved)} (python -m experiments keep)")
    print(f"\n{len(rows)} rows in {elapsed:.0f} s; written: {folder / 'rows.json'}, {folder / 'index.html'}")


def _calibration() -> Calibration | None:
    """The stored calibration of models/, if it is of the current parameters and rows."""
    try:
        return calibrated.stored(reports.rows())
    except ScenarioError:
        return None


Curve = tuple[Study, Found]


def _simulated(chosen: Sequence[Report], options: argparse.Namespace) -> Iterator[tuple[list[Outcome], list[Curve]]]:
    """The rows of each report and, unless the run is quick, its curves: all in one pool over all cores."""
    rows = [report.rows() for report in chosen]
    curves = [[] if options.quick else [study() for study in report.curves] for report in chosen]
    points = [point for own in curves for curve in own for point in curve.points()]
    outcomes, found = run(list(chain(*rows)), points, quick=options.quick, jobs=options.jobs, seed=options.seed)
    left, left_of_points = iter(outcomes), iter(found)
    return (
        (list(islice(left, len(own))), [(curve, list(islice(left_of_points, len(curve.points())))) for curve in drawn])
        for own, drawn in zip(rows, curves, strict=True)
    )


def _explored(chosen: Sequence[Report], options: argparse.Namespace) -> list[list[Curve]]:
    """The studies of each report, unless the run is quick: all points in one pool over all cores."""
    studies = [[] if options.quick else [study() for study in report.studies] for report in chosen]
    points = [[study.points() for study in own] for own in studies]
    every = [point for own in points for some in own for point in some]
    found = iter(explore(every, jobs=options.jobs, seed=options.seed) if every else ())
    return [
        [(study, list(islice(found, len(some)))) for study, some in zip(own, theirs, strict=True)]
        for own, theirs in zip(studies, points, strict=True)
    ]


def _section(
    report: Report, explored: Sequence[Curve], outcomes: list[Outcome], curves: Sequence[Curve]
) -> Section:
    """A report's findings."""
    return Section(
        report=report,
        outcomes=outcomes,
        compared=compare(report.comparisons(), outcomes),
        judged=judge(report.statements(), list(chain(*(found for _, found in curves)))) if curves else [],
        computed=report.computed(),
        studies=[(study, study.draw(found)) for study, found in [*curves, *explored]],
    )


def writable(folder: Path) -> Path:
    """The folder, created if necessary. Raises ScenarioError if it can't be written to."""
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
