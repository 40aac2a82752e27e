"""A machine, or a scenario made from it, as TOML, each value with its source; the file appears complete or not at
all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from netsim.catalog.provenance import Provenance, Sourced
from netsim.errors import ScenarioError, path_of
from netsim.export.whole_file import NO_STDOUT
from netsim.own_machine.machine_spec import ImportedMachine
from netsim.scenario import Scenario
from netsim.spec import NONE
from netsim.spec.tree import Tree
from netsim.spec.written import sourced

_HEAD = "A machine as read by netsim import. `imported` values name their file and line; `assumed` ones give a reason."
_TEST = "An iperf3 test made by netsim import. `assumed` values are in no tool's output, and give a reason."


def machine_toml(machine: ImportedMachine) -> str:
    """TOML with the provenance of every value; `ImportedMachine.from_toml` reads it back."""
    return _toml(machine, _HEAD, {})


def scenario_toml(scenario: Scenario) -> str:
    """The same for a scenario, for `netsim run`."""
    return _toml(scenario, _TEST, {"tool": scenario.tool()})


def _toml(spec: Tree, head: str, first: dict[str, str]) -> str:
    document = tomlkit.document()
    document.add(tomlkit.comment(head))
    for name, value in (first | _filled(spec)).items():
        document.add(name, value)
    return tomlkit.dumps(document)


def _filled(spec: Tree) -> dict[str, Any]:
    return {name: _item(value) for name, value in sourced(spec).items()}


def _item(value: object) -> Table | InlineTable:
    if isinstance(value, Tree):
        table = tomlkit.table()
        for name, item in _filled(value).items():
            table.add(name, item)
        return table
    one = value if isinstance(value, Sourced) else _together(value)
    found = tomlkit.inline_table()
    found.append("value", NONE if one.value is None else one.value)
    found.update(_said(one.provenance))
    return found


def _together(value: object) -> Sourced:
    """A list whose entries were read in one place."""
    each = [one for one in value if isinstance(one, Sourced)] if isinstance(value, list) else []
    return Sourced([one.value for one in each], each[0].provenance)


def _said(provenance: Provenance) -> Mapping[str, Any]:
    return provenance.model_dump(mode="json", exclude_defaults=True)


def write_machine(machine: ImportedMachine, path: str | Path) -> None:
    """Write the TOML into a new file. Raises ScenarioError if the name exists or can't be written."""
    _write(machine_toml(machine), path)


def write_scenario(scenario: Scenario, path: str | Path) -> None:
    """The same for a scenario."""
    _write(scenario_toml(scenario), path)


def _write(text: str, path: str | Path) -> None:
    place = path_of("path", path)
    if str(place) == "-":
        raise ScenarioError(NO_STDOUT, address="path")
    unfinished = place.with_name(f".{place.name[:60]}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.link(unfinished, place)  # unlike a rename, it replaces nothing
    except FileExistsError:
        raise ScenarioError(f"{place} exists already; allowed: a new file", address="path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ScenarioError(f"{place} can't be written: {reason}", address="path") from None
    finally:
        unfinished.unlink(missing_ok=True)
