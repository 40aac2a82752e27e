"""The measuring tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from netsim import catalog
from netsim.errors import ScenarioError, nearest, show
from netsim.machine import HostSpec
from netsim.scenario import Scenario
from netsim.workload.chariot.tool import Chariot
from netsim.workload.netbench.tool import NetBench
from netsim.workload.netperf.tool import Netperf
from netsim.workload.netpipe.tool import NetPipe
from netsim.workload.perform3.tool import Perform3
from netsim.workload.serverbench.tool import ServerBench

__all__ = ["TOOLS", "Chariot", "NetBench", "NetPipe", "Netperf", "Perform3", "ServerBench", "load", "scenario_of"]

TOOLS: dict[str, type[Scenario]] = {
    "chariot": Chariot,
    "netbench": NetBench,
    "netperf": Netperf,
    "netpipe": NetPipe,
    "perform3": Perform3,
    "serverbench": ServerBench,
}


def load(path: str | Path) -> Scenario:
    """The scenario in a TOML file: `tool` names the measuring tool, the rest is its parameters. A table [sweep] says
    what varies in a sweep (netsim.sweeps.definition) and is left out here.

    Raises ScenarioError naming the file.
    """
    tables = catalog.read_toml(Path(path))
    try:
        return scenario_of({key: value for key, value in tables.items() if key != "sweep"})
    except ScenarioError as error:
        raise error.at(file=path) from None


def scenario_of(tables: Mapping[str, Any]) -> Scenario:
    """The scenario in a file's tables. Raises ScenarioError."""
    tool = _tool(tables.get("tool"))
    return tool.model_validate({key: _complete(tool, key, value) for key, value in tables.items() if key != "tool"})


def _tool(name: object) -> type[Scenario]:
    """The class of a tool, by the name in a file."""
    if name is None:
        raise ScenarioError(f"missing; allowed: {', '.join(TOOLS)}", address="tool")
    if not isinstance(name, str) or name not in TOOLS:
        raise ScenarioError(f"no measuring tool is called {show(name)}{nearest(str(name), TOOLS)}", address="tool")
    return TOOLS[name]


def _complete(tool: type[Scenario], key: str, value: Any) -> Any:
    """What a file says at `key`, with hosts made complete."""
    expected = tool.model_fields[key].annotation if key in tool.model_fields else None
    if get_origin(expected) is tuple and isinstance(value, list):
        each = get_args(expected)[0]
        return [_host(each, f"{key}.{index}", one) for index, one in enumerate(value)]
    return _host(expected, key, value)


def _host(expected: Any, address: str, value: Any) -> Any:
    """A host by its model name gets the system and adapters beside that name, without which it is none yet; anything
    else stays as it is."""
    if not (isinstance(expected, type) and issubclass(expected, HostSpec)):
        return value
    if not (isinstance(value, Mapping) and isinstance(value.get("model"), str)):
        return value
    given = {part: value[part] for part in ("system", "nics") if part in value}
    rest = {part: one for part, one in value.items() if part not in given}
    try:
        return rest | {"model": expected.from_catalog("hosts", value["model"], **given)}
    except ScenarioError as error:
        raise error.at(address) from None
