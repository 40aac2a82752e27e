"""The command line's `netsim trace`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import netsim as ns
from netsim.cli import scenario_file


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("trace", help="write down all that happens in a short time")
    scenario_file.add_to(command)
    command.add_argument("--perfetto", metavar="FILE",
                         help="write the timeline of every resource and every frame, for https://ui.perfetto.dev")
    command.add_argument("--pcap", metavar="FILE", help="write what hosts send, for Wireshark and its like")
    command.add_argument("--wire", dest="wires", action="append", metavar="NAME",
                         help='capture all that this wire carries, such as "wire to receiver"; can be repeated')
    command.add_argument("--from", dest="start", default="0 s", metavar="TIME",
                         help='of the simulated time, such as "10 ms" (default: 0 s)')
    command.add_argument("--for", dest="duration", default="20 ms", metavar="TIME", help="(default: 20 ms)")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the random numbers (default: 1)")
    command.set_defaults(lines=_trace)


def _trace(options: argparse.Namespace) -> Iterator[str]:
    """Write the files; yields what to print then."""
    asked = ("perfetto", "pcap", "wires", "start", "duration", "seed")
    yield str(ns.trace(scenario_file.load(options), **{name: getattr(options, name) for name in asked}))
