"""The command line's `netsim compare`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import netsim as ns
from netsim.cli import run, scenario_file
from netsim.errors import ScenarioError
from netsim.measure.monitor import INTERRUPTED


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("compare", help="compare two results or scenarios")
    command.add_argument("files", nargs=2, metavar="FILE",
                         help="a scenario (TOML), or a result as netsim run --json prints it (.json)")
    scenario_file.add_changes_to(command)
    run.add_settings_to(command)
    command.add_argument("--json", action="store_true", help="print every number as JSON")
    command.set_defaults(lines=_compare)


def _compare(options: argparse.Namespace) -> Iterator[str]:
    one, other = (_result(Path(name), options) for name in options.files)
    found = replace(one.compare(other), names=tuple(options.files))
    yield found.to_frame().to_json(orient="records", indent=2) if options.json else str(found)


def _result(path: Path, options: argparse.Namespace) -> ns.Result:
    """The result in a file, or that of the scenario in it. Raises ScenarioError."""
    if path.suffix != ".json":
        scenario = scenario_file.changed(ns.load(path), options)
        result = run.simulated(scenario, options)
        if result.cut_short == INTERRUPTED:
            raise KeyboardInterrupt  # half a comparison is of no use
        return result
    if options.set:
        raise ScenarioError(f"--set applies only to scenarios, but {path} is a result; allowed: none")
    try:
        return ns.Result.from_json(path.read_text(encoding="utf-8"))
    except ScenarioError as error:
        raise error.at(file=path) from None
