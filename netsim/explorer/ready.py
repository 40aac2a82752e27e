"""Ready scenarios, one per tool, and a tool's test with the machines of another one's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.machine import HostSpec
from netsim.scenario import Scenario
from netsim.spec.tree import values
from netsim.workload import load

FIRST = "p166"  # the example that the page shows by default


@cache
def examples_path() -> Path:
    """examples/ inside the installed package, otherwise beside it in a checkout."""
    beside = catalog.models_path().parent / "examples"
    return beside if beside.is_dir() else Path(__file__).resolve().parents[1] / "examples"


def first() -> Scenario:
    """The scenario shown by default."""
    return load(examples_path() / f"{FIRST}.toml")


def under(scenario: Scenario, tool: str) -> Scenario:
    """A test of another tool, with the scenario's machines and wire as far as they fit. Raises ScenarioError for a tool
    without a ready scenario."""
    ready = _of(tool)
    for given in (_shared(scenario, ready) | _machines(scenario, ready), _machines(scenario, ready)):
        try:
            return ready.replace(given)
        except ScenarioError:
            continue
    return ready


@cache
def _of(tool: str) -> Scenario:
    """The first example of a tool."""
    for file in sorted(examples_path().glob("*.toml"), key=lambda one: (one.stem not in (FIRST, tool), one.name)):
        scenario = load(file)
        if scenario.tool() == tool:
            return scenario
    raise ScenarioError(f'no example of "{tool}" to start with; allowed: a file of your own', address="tool")


def _shared(scenario: Scenario, ready: Scenario) -> dict[str, object]:
    """The values that both have under the same name."""
    own = type(scenario).model_fields.keys() - Scenario.model_fields.keys()
    return {name: getattr(scenario, name) for name in own & type(ready).model_fields.keys()}


def _machines(scenario: Scenario, ready: Scenario) -> dict[str, object]:
    """The scenario's first machine replaces the first of `ready`, and its last one replaces all others."""
    hosts = [host for _, host in _hosts(scenario)]
    places = [address for address, _ in _hosts(ready)]
    given = dict.fromkeys(places, hosts[-1]) | dict.fromkeys(places[:1], hosts[0]) if hosts else {}
    return {address: host for address, host in given.items() if type(host) is type(ready.get(address))}


def _hosts(scenario: Scenario) -> Iterator[tuple[str, HostSpec]]:
    for name, value in values(scenario).items():
        every = enumerate(value) if isinstance(value, tuple) else [("", value)]
        for number, one in every:
            if isinstance(one, HostSpec):
                yield (f"{name}.{number}" if isinstance(value, tuple) else name), one
