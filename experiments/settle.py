"""python -m experiments settle: which numbers that no source states matter most, and how to measure them.

Every assumed or fitted number with a range is drawn from it (a fitted one within its standard deviation), for one row
of each group of the reports. A number's total Sobol index is the share of the variance of a row's closed form that it
causes, alone and together with others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from experiments import parameters, reports
from experiments.measurement import measurement
from experiments.parameters import Used
from experiments.pool import in_parallel
from experiments.row import Row
from experiments.scale import CPU_UNIT
from experiments.several import Several
from experiments.uncertainty import Uncertainty, uncertainty
from experiments.unknown import Places, standing, unknown, with_range
from netsim import catalog
from netsim.errors import ScenarioError

LEAST = 0.005  # spread of a row (relative, or of CPU time) below which nothing needs to be settled
SHOWN = 25  # numbers in the printed table
TRY = "To see: python -m experiments settle --scenario ROW > row.toml; netsim run row.toml --set ADDRESS=VALUE"


@dataclass(frozen=True)
class Cause:
    """A number and its effect: its `share` of a row's variance, as the mean over all rows examined, and the share that
    it causes `alone`, without interactions. The share is largest, `there`, in `row`, whose standard deviation is
    `spread`."""

    number: Used
    share: float
    alone: float
    row: Row
    there: float
    spread: float

    @property
    def spread_text(self) -> str:
        """The row's standard deviation, with its unit."""
        return f"{100 * self.spread:.1f} " + ("points" if self.row.unit == CPU_UNIT else "%")

    @property
    def measurement(self) -> str:
        """The measurement that would determine the number."""
        return measurement(self.number)


@dataclass(frozen=True)
class Settled:
    """`causes`, the most important first, for the `rows` examined; `ranged` of `unknown` numbers have a range."""

    rows: Sequence[Uncertainty]
    causes: Sequence[Cause]
    ranged: int
    unknown: int

    @property
    def moved(self) -> list[Uncertainty]:
        """The rows with a notable standard deviation."""
        return [one for one in self.rows if one.spread >= LEAST]

    @property
    def failed(self) -> list[Uncertainty]:
        """The rows without indices."""
        return [one for one in self.rows if one.failed]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns the exit code: 0, or 2 for a user's mistake."""
    parser = argparse.ArgumentParser(prog="python -m experiments settle", description=__doc__)
    parser.add_argument("reports", nargs="*", metavar="REPORT", help="all if none is named")
    parser.add_argument("--scenario", metavar="ROW", help="print a row's scenario, for netsim run, and nothing else")
    options = parser.parse_args(arguments)
    try:
        rows = reports.rows(options.reports)
        print(_toml(rows, options.scenario) if options.scenario else "\n".join(table(settle(rows))))
    except ScenarioError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def settle(rows: Sequence[Row], numbers: Sequence[Used] | None = None, *, jobs: int | None = None) -> Settled:
    """The numbers that matter in the closed forms of some rows; `numbers` are those of models/ that the rows use. Works
    in `jobs` processes (None: one for each processor)."""
    numbers = parameters.used(rows) if numbers is None else numbers
    examined = [partial(_uncertain, own, numbers) for own in _by_scenario(representative(rows))]
    found = [*chain(*in_parallel(examined, jobs))]
    by_name = {one.name: one for one in numbers}
    moved = [one for one in found if one.spread >= LEAST]
    names = dict.fromkeys(name for one in moved for name in one.total)
    causes = sorted((_cause(by_name[name], found, moved) for name in names), key=lambda one: -one.share)
    return Settled(found, causes, len(with_range(numbers)), len(unknown(numbers)))


def representative(rows: Sequence[Row]) -> list[Row]:
    """The first row of each group and quantity that was measured directly and has a closed form, each scenario once."""
    groups: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        if not row.parts and (row.estimate or row.unit == CPU_UNIT):
            groups.setdefault((row.report, row.group, row.quantity), row)
    seen = {(row.build().digest(), row.quantity): row for row in reversed(groups.values())}
    return [row for row in groups.values() if seen[row.build().digest(), row.quantity] is row]


def _by_scenario(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each scenario: they share its closed form."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.build().digest(), []).append(row)
    return list(found.values())


def _uncertain(rows: Sequence[Row], numbers: Sequence[Used]) -> list[Uncertainty]:
    """The uncertainty of rows of one scenario."""
    unknowns = standing(numbers, rows[0].build(), places(rows[0]))
    return [uncertainty(row, row.build(), unknowns) for row in rows]


def places(row: Row) -> Places:
    """Where the numbers of models/ are in a row's scenario."""
    with catalog.overlay(parameters.names_for_sources()):
        sources = row.build().provenance()
    found: dict[str, list[str]] = {}
    for address, source in sources.items():
        found.setdefault(source.source, []).append(address)
    return found


def table(settled: Settled) -> Iterator[str]:
    """The numbers that matter most, as text."""
    yield summary(settled)
    yield f"\n{'number':<44}{'value':>12}  {'range':<22}{'mean':>6}{'alone':>7}{'most':>6}  in"
    for one in settled.causes[:SHOWN]:
        head = f"{one.number.name:<44}{one.number.text:>12}  {one.number.range:<22}{one.share:>6.0%}{one.alone:>7.0%}"
        yield f"{head}{one.there:>6.0%}  {one.row.id} (standard deviation {one.spread_text})"
        yield f"{'':<4}{one.measurement}"
    yield from (f"\n{one.row.id}: {one.failed}" for one in settled.failed)
    yield f"\n{TRY}"


def summary(settled: Settled) -> str:
    """How much was examined."""
    return (
        f"{settled.ranged} of {settled.unknown} numbers that no source states have a range; because of them, "
        f"{len(settled.moved)} of {len(settled.rows)} rows have a standard deviation of {100 * LEAST:g} % "
        "(or points of CPU) or more"
    )


def _cause(number: Used, rows: Sequence[Uncertainty], moved: Sequence[Uncertainty]) -> Cause:
    most = max(moved, key=lambda one: one.total.get(number.name, 0.0))
    share, alone = (
        sum(getattr(one, order).get(number.name, 0.0) for one in moved) / len(rows) for order in ("total", "first")
    )
    return Cause(number, share, alone, most.row, most.total.get(number.name, 0.0), most.spread)


def _toml(rows: Sequence[Row], name: str) -> str:
    """The scenario of the row with this id, as a file for `netsim run`."""
    by_id = {row.id: row for row in rows}
    reports.check([name], by_id)
    scenario = by_id[name].build()
    if isinstance(scenario, Several):
        raise ScenarioError("is about several scenarios", address=name)
    return str(scenario.to_toml())


if __name__ == "__main__":
    sys.exit(main())
