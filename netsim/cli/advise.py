"""The command line's `netsim advise`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("advise", help="find the settings that would help a machine most")
    command.add_argument("source", metavar="FOLDER|FILE.toml", help="input or output of netsim import")
    command.add_argument("--json", action="store_true", help="print the full result as JSON")
    command.set_defaults(lines=_advise)


def _advise(options: argparse.Namespace) -> Iterator[str]:
    """Imports modules that other commands don't need."""
    from netsim.own_machine.advice import advise, machine_of
    from netsim.show import advice_view

    machine = machine_of(options.source).machine
    if options.json:
        yield json.dumps(advice_view.advice_json(machine, advise(machine)), indent=2)
    else:
        yield from advice_view.advice_lines(machine, advise(machine))
