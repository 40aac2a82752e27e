"""The command line; each command is in a module of its own.

Exit codes: 0 done, 1 the simulation can't finish, 2 wrong input (one line on stderr), 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import netsim as ns
from netsim.cli import (
    advise,
    bounds,
    catalogue,
    compare,
    explore,
    import_machine,
    results,
    run,
    sweep,
    trace,
)
from netsim.cli.shown import shown
from netsim.compiled import VARIANT
from netsim.errors import NetsimError, SimulationError

# as help lists them
COMMANDS = (catalogue, run, compare, bounds, explore, sweep, results, trace, import_machine, advise)
INTERRUPTED = 130  # a shell's code for a program that Ctrl-C ended
CLOSED_PIPE = 141  # and for one whose reader went away


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    try:
        options = _parser().parse_args(arguments)
        for line in options.lines(options):
            print(shown(line))
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
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = " ".join(str(error).split())
    return shown(text)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage in front of it."""
        self.exit(2, f"{self.prog}: {shown(' '.join(message.split()))}; try {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="netsim", description="Simulate the path from an application to the wire.")
    parser.add_argument("--version", action="version", version=f"netsim {ns.__version__} ({VARIANT})")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
