"""The command line's `netsim run`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import netsim as ns
from netsim.cli import scenario_file
from netsim.measure.monitor import INTERRUPTED
from netsim.measure.sampling import PRECISION, WARM_UP


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("run", help="simulate a scenario")
    scenario_file.add_to(command)
    add_settings_to(command)
    command.add_argument("--json", action="store_true", help="print the full result as JSON")
    command.set_defaults(lines=_run)


def add_settings_to(command: argparse.ArgumentParser) -> None:
    """Add the arguments that say how a scenario is simulated."""
    command.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default: 1)")
    command.add_argument("--precision", type=float, default=PRECISION, metavar="P",
                         help="half-width of the interval to reach, as a share of the mean (default: %(default)s)")
    command.add_argument("--warm-up", metavar="TIME",
                         help=f"shortest time to discard at the start (default: {WARM_UP}, less in a short test)")
    command.add_argument("--limit", metavar="TIME",
                         help="longest simulated time of an iteration (default: that of the tool)")
    command.add_argument("--wall-limit", type=_time, metavar="TIME",
                         help='real time after which to stop with the result so far, such as "90 s"')
    command.add_argument("--progress", action=argparse.BooleanOptionalAction,
                         help="show progress (default: on a terminal)")


def _time(text: str) -> str | float:
    """Seconds, or text with a unit."""
    try:
        return float(text)
    except ValueError:
        return text


def _run(options: argparse.Namespace) -> Iterator[str]:
    result = simulated(scenario_file.load(options), options)
    yield result.to_json() if options.json else str(result)
    if result.cut_short == INTERRUPTED:
        raise KeyboardInterrupt  # so that the program ends as after any Ctrl-C


def simulated(scenario: ns.Scenario, options: argparse.Namespace) -> ns.Result:
    """The result with these settings. Raises ScenarioError, SimulationError."""
    asked = ("seed", "precision", "warm_up", "limit", "wall_limit", "progress")
    return ns.simulate(scenario, **{name: getattr(options, name) for name in asked})
