"""The command line: `netsim list`, `show`, `run`, `bounds`; `sweep` and `results` stand in netsim.cli.sweep, what
`trace` does in netsim.cli.trace.

Exit codes: 0 done, 1 the simulation can't finish, 2 wrong input (one line on stderr), 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

import netsim as ns
from netsim import catalog
from netsim.catalog import Provenance
from netsim.cli import sweep, trace
from netsim.errors import NetsimError, ScenarioError, SimulationError, show

INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended
CLOSED_PIPE = 141  # and of one whose reader went away


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    try:
        options = _parser().parse_args(arguments)
        for line in options.lines(options):
            print(line)
        sys.stdout.flush()  # here, where a closed pipe is still caught
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain when it flushes again
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (NetsimError, OSError) as error:
        print(f"netsim: {_one_line(error)}", file=sys.stderr)
        return 1 if isinstance(error, SimulationError) else 2
    return 0


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage in front of it."""
        self.exit(2, f"{self.prog}: {message}; try {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="netsim", description="Simulate the path from an application to the wire.")
    parser.add_argument("--version", action="version", version=f"netsim {ns.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    command = commands.add_parser("list", help="what is in the catalogue")
    command.add_argument("category", nargs="?", metavar="CATEGORY", help="such as nics, drivers, hosts")
    command.set_defaults(lines=_list)

    command = commands.add_parser("show", help="every number of a thing, and where it comes from")
    command.add_argument("name", metavar="NAME", help="such as 3c905b, hosts/p166, or 3c905b/3c59x for card and driver")
    command.set_defaults(lines=_show)

    command = _with_scenario(commands.add_parser("run", help="simulate a scenario"))
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the random numbers (default: 1)")
    command.add_argument("--precision", type=float, default=0.002, metavar="P",
                         help="half-width of the interval, as a share of the mean (default: 0.002)")
    command.add_argument("--json", action="store_true", help="everything that is known, as JSON")
    command.set_defaults(lines=_run)

    command = _with_scenario(commands.add_parser("bounds", help="what each resource alone would allow"))
    command.set_defaults(lines=_bounds)

    sweep.add(commands)

    command = _with_scenario(commands.add_parser("trace", help="write down all that happens in a short time"))
    trace.add(command)
    command.set_defaults(lines=_trace)
    return parser


def _with_scenario(command: _Parser) -> _Parser:
    command.add_argument("scenario", metavar="SCENARIO.toml",
                         help='with tool = "netperf", "netpipe", "chariot", "perform3", "serverbench" or "netbench" '
                              "and its parameters")
    command.add_argument("--set", action="append", default=[], metavar="ADDRESS=VALUE",
                         help='such as receiver.nics.0.driver.rx_ring=64 or link.propagation="1 us"; can be repeated')
    return command


# --- commands: each makes the lines to print -------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> Iterator[str]:
    categories = catalog.categories() if options.category is None else [options.category]
    rows = [(one, name, catalog.notes(one, name)["title"]) for one in categories for name in catalog.names(one)]
    yield from _aligned(rows if options.category is None else [row[1:] for row in rows])


def _show(options: argparse.Namespace) -> Iterator[str]:
    for number, name in enumerate(_things(options.name)):
        rows = [(at, value, one.kind, _because(one)) for at, value, one in catalog.describe(name)]
        notes = catalog.notes(*name.split("/"))
        yield from ["", name] if number else [name]
        yield from filter(None, (notes["title"], notes["about"], ""))
        yield from _aligned(rows)


def _run(options: argparse.Namespace) -> Iterator[str]:
    result = ns.simulate(_scenario(options), seed=options.seed, precision=options.precision)
    yield result.to_json() if options.json else str(result)


def _bounds(options: argparse.Namespace) -> Iterator[str]:
    yield str(_scenario(options).bounds())


def _trace(options: argparse.Namespace) -> Iterator[str]:
    yield from trace.lines(_scenario(options), options)


# --- their arguments -------------------------------------------------------------------------------------------------


def _scenario(options: argparse.Namespace) -> ns.Scenario:
    """The scenario of a file, with what --set says."""
    scenario = ns.load(options.scenario)
    changes = dict(_assignment(text) for text in options.set)
    return scenario.replace(changes) if changes else scenario


def _assignment(text: str) -> tuple[str, object]:
    address, equals, value = text.partition("=")
    if not equals or not address.strip():
        raise ScenarioError(f"--set {show(text)} is not allowed; allowed: ADDRESS=VALUE")
    return address.strip(), _value(value.strip())


def _value(text: str) -> object:
    """A number, true or false, or else text, which may have a unit."""
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _things(name: str) -> list[str]:
    """The files behind a name, as category/name: the card's and the driver's for an adapter."""
    category, _, own = name.partition("/")
    if own and category not in catalog.categories():
        return [f"nics/{catalog.path('nics', category).stem}", f"drivers/{catalog.path('drivers', own).stem}"]
    found = [f"{category}/{name}" for category in catalog.categories() if name in catalog.names(category)]
    return found if len(found) == 1 else [name]  # the catalogue has the words for none and for several


def _because(provenance: Provenance) -> str:
    """Where a number comes from, on one line."""
    fitted = f"to {', '.join(provenance.rows)}" if provenance.rows else ""
    error = f"standard error {provenance.sd:g}" if provenance.sd is not None else ""
    confidence = f"confidence {provenance.confidence}" if provenance.confidence else ""
    return "; ".join(filter(None, (provenance.source, provenance.reason, fitted, error, confidence)))


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, all columns but the last padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
