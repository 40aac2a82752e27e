"""All reports, by name."""

from __future__ import annotations

from collections.abc import Iterable

from experiments import (
    beowulf,
    failover,
    gigabit_what_if,
    netfinity_5500,
    netfinity_5500_curves,
    overload,
    perform3,
    tolly_200233,
    tolly_201105,
)
from experiments.misses import MISSES
from experiments.report import Report
from experiments.row import Row
from experiments.study import Study
from netsim.errors import ScenarioError, nearest, show

_ALL = (
    Report(
        name=beowulf.REPORT,
        title="Six Fast Ethernet adapters under Linux 2.2",
        rows=beowulf.rows,
        misses=MISSES[beowulf.REPORT],
        studies=(overload.study,),
    ),
    Report(
        name=tolly_200233.REPORT,
        title="Three gigabit adapters, Windows 2000 and Linux 2.2.14",
        rows=tolly_200233.rows,
        misses=MISSES[tolly_200233.REPORT],
        studies=gigabit_what_if.studies(),
    ),
    Report(
        name=tolly_201105.REPORT,
        title="Four Fast Ethernet adapters, IPsec, Windows 2000 and NT 4.0",
        rows=tolly_201105.rows,
        misses=MISSES[tolly_201105.REPORT],
        figures=tolly_201105.figures,
        comparisons=tolly_201105.comparisons,
        studies=(failover.study,),
    ),
    Report(
        name=perform3.REPORT,
        title="Eleven adapters of the ISA and EISA age under NetWare",
        rows=perform3.rows,
        misses=MISSES[perform3.REPORT],
        figures=perform3.figures,
        comparisons=perform3.comparisons,
        computed=perform3.computed,
    ),
    Report(
        name=netfinity_5500.REPORT,
        title="A server with disks, ServerBench and NetBench",
        rows=netfinity_5500.rows,
        misses=MISSES[netfinity_5500.REPORT],
        curves=(netfinity_5500_curves.study,),
        statements=netfinity_5500.statements,
    ),
)
REPORTS: dict[str, Report] = {report.name: report for report in _ALL}


def chosen(names: Iterable[str] = ()) -> list[Report]:
    """The named reports, or all. Raises ScenarioError, with the nearest known name, for an unknown one."""
    wanted = list(dict.fromkeys(names)) or list(REPORTS)
    check(wanted, REPORTS)
    return [REPORTS[name] for name in wanted]


def rows(names: Iterable[str] = ()) -> list[Row]:
    """The rows of the named reports, or of all. Raises ScenarioError as `chosen` does."""
    return [row for report in chosen(names) for row in report.rows()]


def studies(names: Iterable[str] = ()) -> list[Study]:
    """The further simulations for the named reports, or for all. Raises ScenarioError as `chosen` does."""
    return [study() for report in chosen(names) for study in report.studies]


def check(names: Iterable[str], known: Iterable[str]) -> None:
    """Raises ScenarioError, with the nearest known name, for a name that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ScenarioError(f"no report is called {show(name)}{nearest(name, known)}")
