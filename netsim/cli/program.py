"""The command line; each command is in a module of its own.

Exit codes: 0 done, 1 the simulation can't finish, 2 wrong input or nowhere to print (one line on stderr), 130
interrupted.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
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
        _print(options.lines(options))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain when it flushes again
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (NetsimError, OSError) as error:
        _complain(f"netsim: {_one_line(error)}")
        return 1 if isinstance(error, SimulationError) else 2
    return 0


def _print(lines: Iterable[str]) -> None:
    """Print lines. Raises OSError, also if there is no stdout (`>&-`)."""
    for line in lines:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "stdout")
        print(shown(line))
    if sys.stdout is not None:
        sys.stdout.flush()  # here, where a closed pipe is still caught


def _complain(line: str) -> None:
    """Print a line to stderr; if that is closed or full, the exit code has to do."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr)


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
