"""The command line's `netsim trace`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netsim as ns
from netsim.cli import scenario_file
from netsim.errors import ScenarioError
from netsim.export.whole_file import check_other

OPTIONS = {  # by their names in netsim.trace
    "perfetto": "--perfetto", "pcap": "--pcap", "wires": "--wire", "start": "--from", "duration": "--for",
    "seed": "--seed", "force": "--force",
}  # fmt: skip


def add(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("trace", help="record everything that happens in a short interval")
    scenario_file.add_to(command)
    command.add_argument("--perfetto", metavar="FILE",
                         help="write the timeline of every resource and every frame, for https://ui.perfetto.dev "
                              "(not for dma, pktgen, packets and iperf3)")
    command.add_argument("--pcap", metavar="FILE",
                         help="write the frames that hosts send, for Wireshark and similar tools (not for dma, "
                              "pktgen, packets, iperf3, requests and saturation)")
    command.add_argument("--wire", dest="wires", action="append", metavar="NAME",
                         help='capture everything on this wire, such as "wire to receiver"; can be repeated')
    command.add_argument("--from", dest="start", default="0 s", metavar="TIME",
                         help='start, in simulated time, such as "10 ms" (default: 0 s)')
    command.add_argument("--for", dest="duration", default="20 ms", metavar="TIME", help="duration (default: 20 ms)")
    command.add_argument("--force", action="store_true", help="overwrite a file that netsim did not write, or a device")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default: 1)")
    command.set_defaults(lines=_trace)


def _trace(options: argparse.Namespace) -> Iterator[str]:
    """Write the files, then yield the text to print."""
    if not (options.perfetto or options.pcap):
        raise ScenarioError("no file to write to; allowed: --perfetto, --pcap, or both")
    scenario = scenario_file.load(options)
    for name in ("perfetto", "pcap"):
        if path := getattr(options, name):
            check_other(Path(path), Path(options.scenario), OPTIONS[name])
    try:
        yield str(ns.trace(scenario, **{name: getattr(options, name) for name in OPTIONS}))
    except ScenarioError as error:
        raise error.called({**OPTIONS, "start + duration": "--from + --for"}) from None
