"""A sweep in a TOML file: a scenario's tables, and a table [sweep] that says what varies.

    tool = "netperf"
    ...
    [sweep]
    replications = 3
    precision = 0.01

    [sweep.grid]                                # every combination
    mtu = [576, 1500]
    sender.processors.clock = ["300 MHz", "600 MHz"]

    [sweep.zipped]                              # side by side; [[sweep.zipped]] for several such tables
    [sweep.sobol]                               # [lowest, highest] each, with points = 64 in [sweep]
    [sweep.latin_hypercube]

Addresses are written with dots, as everywhere. Several of these tables are combined, every entry of one with every
entry of the others. [sweep] itself has the keywords of `sweep` that belong to the question, not to the machine that
answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from pathlib import Path
from typing import Any

from netsim.catalog.toml_file import read_toml
from netsim.errors import ScenarioError, nearest, path_of, show
from netsim.explore import METHODS, Axes, latin_hypercube, sobol, zipped
from netsim.scenario import Scenario
from netsim.spec.changes import above, is_kept
from netsim.sweeps.sweeping import Sweep, sweep
from netsim.workload import scenario_of

OPTIONS = ("replications", "precision", "warm_up", "sample", "limit", "seed")
TABLES = ("grid", "zipped", *METHODS)


@dataclass(frozen=True)
class Definition:
    """The contents of a sweep's file: the scenario, the axes, and keywords of `sweep`; the `tables` in which addresses
    vary ("grid")."""

    scenario: Scenario
    axes: Axes
    options: Mapping[str, Any]
    tables: Mapping[str, str]

    def replace(self, changes: Mapping[str, object]) -> Definition:
        """The same with changes to the scenario. Raises ScenarioError, also for a change that every point would
        overwrite."""
        for address in changes:
            if whole := next((one for one in (*above(address), address) if self._overwrites(one, address)), ""):
                what = f"{whole} varies" if whole != address else "varies"
                text = f"{what} in [sweep.{self.tables[whole]}], which would overwrite it; allowed: what does not vary"
                raise ScenarioError(text, address=address)
        return replace(self, scenario=self.scenario.replace(changes))

    def _overwrites(self, swept: str, address: str) -> bool:
        """Whether the values at the `swept` address replace what is at another in it. Names of hosts do not replace a
        host's system and adapters."""
        names = all(isinstance(one, str) for one in self.axes.values(swept))
        return swept in self.tables and not (names and is_kept(self.scenario, swept, address))

    def run(self, **more: Any) -> Sweep:
        """Run `sweep` with all of that, and with further keywords of it, such as store, executor and jobs."""
        return sweep(self.scenario, self.axes, **self.options, **more)


def load(path: str | Path) -> Definition:
    """The sweep in a TOML file. Raises ScenarioError naming the file."""
    tables = dict(read_toml(path_of("path", path)))
    try:
        table = tables.pop("sweep", None)
        if not isinstance(table, Mapping):
            raise ScenarioError(f"missing; allowed: a table with {', '.join(TABLES)}", address="sweep")
        return Definition(scenario_of(tables), *_read(table))
    except ScenarioError as error:
        raise error.at(file=path) from None


def _read(table: Mapping[str, Any]) -> tuple[Axes, dict[str, Any], dict[str, str]]:
    """The axes, the options, and the table of each address."""
    known = [*OPTIONS, "points", *TABLES]
    for key in table:
        if key not in known:
            raise ScenarioError(f"no such key{nearest(key, known)}", address=f"sweep.{key}")
    parts = [(name, part) for name in TABLES if name in table for part in _axes(name, table)]
    if not parts:
        raise ScenarioError(f"no axes; allowed: {', '.join(TABLES)}", address="sweep")
    if "points" in table and not any(name in table for name in METHODS):
        raise ScenarioError("applies only to sobol and latin_hypercube, but neither is given", address="sweep.points")
    try:
        axes = reduce(mul, (part for _, part in parts))
    except ScenarioError as error:
        raise error.at("" if error.address else "sweep") from None
    options = {name: table[name] for name in OPTIONS if name in table}
    return axes, options, {address: name for name, part in parts for address in part.addresses}


def _axes(name: str, table: Mapping[str, Any]) -> Iterator[Axes]:
    """The axes of one kind of table."""
    several = table[name] if name == "zipped" and isinstance(table[name], list) else [table[name]]
    for one in several:
        if not isinstance(one, Mapping):
            raise ScenarioError(f"{show(one)} is not allowed; allowed: a table of addresses", address=f"sweep.{name}")
        try:
            yield _maker(name, table)(dict(_flat(one)))
        except ScenarioError as error:
            raise error.at(f"sweep.{name}") from None


def _maker(name: str, table: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Axes]:
    if name == "grid":
        return Axes.of
    if name == "zipped":
        return zipped
    if "points" not in table:
        raise ScenarioError("needs points = ... in [sweep]")
    method = sobol if name == "sobol" else latin_hypercube
    return lambda limits: method(limits, table["points"], table.get("seed", 1))


def _flat(tables: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Nested tables as addresses: TOML reads the dots of a bare key as nesting."""
    for name, value in tables.items():
        address = f"{above}.{name}" if above else name
        if isinstance(value, Mapping):
            yield from _flat(value, address)
        else:
            yield address, value
