"""The command line's `netsim explore`."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Iterator
from typing import Any

from netsim.cli import scenario_file
from netsim.errors import ScenarioError
from netsim.workload import load


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("explore", help="open a page in the browser: change anything and see the effect")
    command.add_argument("scenario", nargs="?", metavar="SCENARIO.toml",
                         help="scenario to start with (default: examples/p166.toml)")
    scenario_file.add_changes_to(command)
    command.add_argument("--port", type=int, default=0, metavar="N",
                         help="port on the loopback address (default: a free one)")
    command.add_argument("--browser", action=argparse.BooleanOptionalAction, default=True,
                         help="open the page (default), or only print its address")
    command.set_defaults(lines=_explore)


def _explore(options: argparse.Namespace) -> Iterator[str]:
    try:
        from netsim.explorer.web import WebServer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "tornado":
            raise
        raise ScenarioError("netsim explore needs the tornado package: pip install tornado") from None
    from netsim.explorer import ready
    from netsim.explorer.page import Page

    if not 0 <= options.port < 1 << 16:
        raise ScenarioError(f"{options.port} is not allowed; allowed: 0 to 65535", address="--port")
    begun = ready.first() if options.scenario is None else load(options.scenario)
    scenario = scenario_file.changed(begun, options)
    server = WebServer(Page(scenario), options.port)
    yield server.url
    yield "Press Ctrl-C to stop."
    sys.stdout.flush()
    if options.browser:
        webbrowser.open(server.url)
    server.serve()
