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
from netsim.compiled import VARIANT
from netsim.errors import NetsimError, SimulationError

# as help lists them
COMMANDS = (catalogue, run, compare, bounds, explore, sweep, results, trace, import_machine, advise)
# What a terminal would obey instead of showing it, such as in a title of models from elsewhere: C0 and C1 except for
# newlines and tabs, and marks that turn the direction of writing (Unicode, Bidi_Control).
_SHOWN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_SHOWN |= {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended
CLOSED_PIPE = 141  # and of one whose reader went away


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    try:
        options = _parser().parse_args(arguments)
        for line in options.lines(options):
            print(line.translate(_SHOWN))
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
    return text.translate(_SHOWN)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage in front of it."""
        self.exit(2, f"{self.prog}: {' '.join(message.split()).translate(_SHOWN)}; try {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="netsim", description="Simulate the path from an application to the wire.")
    parser.add_argument("--version", action="version", version=f"netsim {ns.__version__} ({VARIANT})")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
