"""The measuring tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import isabstract
from pathlib import Path
from typing import Any

from netsim import catalog
from netsim.errors import ScenarioError, nearest, path_of, show
from netsim.scenario import Scenario
from netsim.spec.variants import below
from netsim.workload.chariot.tool import Chariot
from netsim.workload.dma.tool import Dma
from netsim.workload.flows.tool import Flows
from netsim.workload.iperf3.tool import Iperf3
from netsim.workload.netbench.tool import NetBench
from netsim.workload.netperf.tool import Netperf
from netsim.workload.netpipe.tool import NetPipe
from netsim.workload.packets.tool import Packets
from netsim.workload.perform3.tool import Perform3
from netsim.workload.pktgen.tool import Pktgen
from netsim.workload.requests.tool import Requests
from netsim.workload.saturation.tool import Saturation
from netsim.workload.serverbench.tool import ServerBench

__all__ = [
    "TOOLS",
    "Chariot",
    "Dma",
    "Flows",
    "Iperf3",
    "NetBench",
    "NetPipe",
    "Netperf",
    "Packets",
    "Perform3",
    "Pktgen",
    "Requests",
    "Saturation",
    "ServerBench",
    "load",
    "scenario_of",
]

_ALL = (
    Chariot, Dma, Flows, Iperf3, NetBench, Netperf, NetPipe, Packets, Perform3, Pktgen, Requests, Saturation,
    ServerBench,
)  # fmt: skip
TOOLS = {one.tool(): one for one in _ALL}


def load(path: str | Path) -> Scenario:
    """The scenario in a TOML file: `tool` names the measuring tool, the rest is its parameters. A [sweep] table, which
    defines a sweep (netsim.sweeps.definition), is ignored here.

    Raises ScenarioError naming the file.
    """
    tables = catalog.read_toml(path_of("path", path))
    try:
        return scenario_of({key: value for key, value in tables.items() if key != "sweep"})
    except ScenarioError as error:
        raise error.at(file=path) from None


def scenario_of(tables: Mapping[str, Any]) -> Scenario:
    """The scenario in a file's tables. Raises ScenarioError."""
    return _tool(tables.get("tool")).model_validate(tables)


def _tool(name: object) -> type[Scenario]:
    """The class of the tool with this name in a file; it may be netsim's or user-defined."""
    every: Iterator[type[Scenario]] = below(Scenario)  # type: ignore[type-abstract]
    known = TOOLS | {one.tool(): one for one in every if not isabstract(one)}
    if name is None:
        raise ScenarioError(f"missing; allowed: {', '.join(known)}", address="tool")
    if not isinstance(name, str) or name not in known:
        raise ScenarioError(f"no measuring tool is called {show(name)}{nearest(str(name), known)}", address="tool")
    return known[name]
