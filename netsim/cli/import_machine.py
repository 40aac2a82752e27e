"""The command line's `netsim import`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from netsim.errors import ScenarioError


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("import", help="read the output of a machine's own tools, and find its faults")
    command.add_argument("folder", nargs="?", metavar="FOLDER", help="folder that the script wrote")
    command.add_argument("--script", action="store_true", help="print the script that collects the input")
    command.add_argument("--output", metavar="FILE.toml", help="write the machine, with the source of each value")
    command.add_argument("--scenario", metavar="FILE.toml", help="write the simulated test, for netsim run")
    command.add_argument("--json", action="store_true", help="print the full result as JSON")
    command.set_defaults(lines=_import)


def _import(options: argparse.Namespace) -> Iterator[str]:
    """Imports modules that other commands don't need."""
    from netsim.own_machine import import_machine
    from netsim.own_machine.collecting import SCRIPT
    from netsim.own_machine.machine_file import write_machine, write_scenario
    from netsim.own_machine.simulated_run import measured_runs, scenario_of
    from netsim.show import machine_view

    if options.script:
        if options.folder or options.output or options.scenario or options.json:
            raise ScenarioError("--script can't be combined with anything else")
        yield SCRIPT.rstrip("\n")
        return
    if not options.folder:
        raise ScenarioError("no folder to read; allowed: FOLDER, or --script")
    found = import_machine(options.folder)
    if options.output:
        with _called("--output"):
            write_machine(found.machine, options.output)
    if options.scenario:
        with _called("--scenario"):
            write_scenario(scenario_of(found.machine), options.scenario)
    runs = measured_runs(found.machine)
    if options.json:
        yield json.dumps(machine_view.import_json(found, runs), indent=2)
    else:
        yield from machine_view.import_lines(found, runs)


@contextmanager
def _called(option: str) -> Iterator[None]:
    """Report an error of the file as one of the option."""
    try:
        yield
    except ScenarioError as error:
        raise error.called({"path": option}) from None
