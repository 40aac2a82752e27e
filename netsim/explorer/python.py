"""A scenario as Python: hosts by their names, and their differences by addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pprint import pformat
from typing import Any

from netsim.explorer.short import short
from netsim.machine import HostSpec
from netsim.scenario import Scenario
from netsim.stack import NcpHostSpec

_WIDTH = 88  # of a line


def as_python(scenario: Scenario) -> str:
    """A program that simulates it."""
    before, given = [], []
    for name, value in short(scenario).items():
        spec = getattr(scenario, name)
        if isinstance(spec, HostSpec):
            before.append(f"{name} = {_host(spec, value)}")
            given.append(f"{name}={name}")
        elif isinstance(spec, tuple) and spec and isinstance(spec[0], HostSpec):
            before.append(f"{name} = {_list([_host(host, one) for host, one in zip(spec, value, strict=True)])}")
            given.append(f"{name}={name}")
        else:
            given.append(f"{name}={_literal(value)}")
    made = f"scenario = ns.{type(scenario).__name__}(\n" + "".join(f"    {one},\n" for one in given) + ")"
    last = ["print(scenario.bounds())", "print(ns.simulate(scenario))", ""]
    return "\n".join(["import netsim as ns", "", *before, made, *last])


def _host(spec: HostSpec, table: Any) -> str:
    """The expression that makes a host; a table if it has no name."""
    if not isinstance(table, Mapping) or "model" not in table:
        return _literal(table, 0)
    changes = dict(_changes({key: one for key, one in table.items() if key not in ("model", *spec.kept)}))
    arguments = [_literal(table["model"])]
    for key in (one for one in spec.kept if one in table):
        part, more = _part(key, table[key])
        arguments.append(f"{key}={_literal(part)}")
        changes |= more
    function = "netware_host" if isinstance(spec, NcpHostSpec) else "host"
    made = f"ns.{function}({', '.join(arguments)})"
    if len(made) > _WIDTH:
        made = f"ns.{function}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"
    if not changes:
        return made
    text = f"{made}.replace({_literal(changes, 0)})"
    return text if len(text) <= _WIDTH or len(changes) > 1 else f"{made}.replace({_table(changes, 0)})"


def _part(address: str, table: Any) -> tuple[Any, dict[str, Any]]:
    """A part by its name, and its changes; unchanged if it has no name."""
    if isinstance(table, list):
        parts = [_part(f"{address}.{number}", one) for number, one in enumerate(table)]
        return [name for name, _ in parts], {at: one for _, more in parts for at, one in more.items()}
    if isinstance(table, Mapping) and "model" in table:
        rest = {key: one for key, one in table.items() if key != "model"}
        return table["model"], dict(_changes(rest, f"{address}."))
    return table, {}


def _changes(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The changes of a table, by address; a table that replaces a thing with another stays a table."""
    for key, one in table.items():
        if isinstance(one, Mapping) and not any(word in one for word in ("model", "policy", "standard", "moved_by")):
            yield from _changes(one, f"{above}{key}.")
        else:
            yield f"{above}{key}", one


def _list(made: list[str]) -> str:
    """Consecutive hosts, with like ones multiplied."""
    runs: list[tuple[str, int]] = []
    for one in made:
        if runs and runs[-1][0] == one:
            runs[-1] = one, runs[-1][1] + 1
        else:
            runs.append((one, 1))
    return " + ".join(f"[{one}] * {number}" if number > 1 else f"[{one}]" for one, number in runs)


def _literal(value: Any, indent: int = 4) -> str:
    """A value as a Python literal, in lines of limited length."""
    if isinstance(value, Mapping) and len(value) > 1:
        return _table(value, indent)
    text = pformat(value, width=_WIDTH - indent, sort_dicts=False)
    text = text.replace("\n", "\n" + " " * indent)
    return text if '"' in text else text.replace("'", '"')


def _table(value: Mapping[str, Any], indent: int) -> str:
    """A line for each key."""
    inner = " " * (indent + 4)
    lines = [f"{inner}{_literal(key)}: {_literal(one, indent + 4)},\n" for key, one in value.items()]
    return "{\n" + "".join(lines) + " " * indent + "}"
