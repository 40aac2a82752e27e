"""The command line's `netsim bounds`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from netsim.cli import scenario_file


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("bounds", help="show what each resource alone would allow")
    scenario_file.add_to(command)
    command.set_defaults(lines=_bounds)


def _bounds(options: argparse.Namespace) -> Iterator[str]:
    yield str(scenario_file.load(options).bounds())
