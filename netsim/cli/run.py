"""The command line's `netsim run`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import netsim as ns
from netsim.cli import scenario_file


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("run", help="simulate a scenario")
    scenario_file.add_to(command)
    add_settings_to(command)
    command.add_argument("--json", action="store_true", help="everything that is known, as JSON")
    command.set_defaults(lines=_run)


def add_settings_to(command: argparse.ArgumentParser) -> None:
    """How a scenario is simulated."""
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the random numbers (default: 1)")
    command.add_argument("--precision", type=float, default=0.002, metavar="P",
                         help="half-width of the interval, as a share of the mean (default: 0.002)")


def _run(options: argparse.Namespace) -> Iterator[str]:
    result = ns.simulate(scenario_file.load(options), seed=options.seed, precision=options.precision)
    yield result.to_json() if options.json else str(result)
