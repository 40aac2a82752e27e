"""The measuring tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netsim import catalog
from netsim.errors import ScenarioError, nearest, show
from netsim.workload.netperf import Netperf

__all__ = ["TOOLS", "Netperf", "load"]

TOOLS = {"netperf": Netperf}


def load(path: str | Path) -> Netperf:
    """The scenario in a TOML file: `tool` names the measuring tool, the rest is its parameters.

    Raises ScenarioError naming the file.
    """
    tables: dict[str, Any] = dict(catalog.read_toml(Path(path)))
    try:
        return _tool(tables.pop("tool", None)).model_validate(tables)
    except ScenarioError as error:
        raise error.at(file=path) from None


def _tool(name: object) -> type[Netperf]:
    """The class of a tool, by the name in a file."""
    if name is None:
        raise ScenarioError(f"missing; allowed: {', '.join(TOOLS)}", address="tool")
    if not isinstance(name, str) or name not in TOOLS:
        raise ScenarioError(f"no measuring tool is called {show(name)}{nearest(str(name), TOOLS)}", address="tool")
    return TOOLS[name]
