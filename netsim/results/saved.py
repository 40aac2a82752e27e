"""A result read back from the text that Result.to_json has written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from netsim.accounts import DropPlace, Resource
from netsim.errors import ScenarioError, check_type
from netsim.results import undamaged
from netsim.results.curve import CurvePoint
from netsim.results.flow_results import FlowResult
from netsim.results.latencies import Latencies
from netsim.results.phases import Phase
from netsim.results.plain_scenario import KEYS, from_plain
from netsim.results.result import Result
from netsim.results.samples import Samples
from netsim.results.transaction_kinds import TransactionKind

BESIDE = (*KEYS, "resources", "places")  # what a Result has in another form
ADDED = {"fairness": None, "jitter": None}  # what results saved earlier do not have
Named = TypeVar("Named", Resource, DropPlace)


def read(text: str) -> Result:
    """The result in a JSON text. Raises ScenarioError if it has none or a damaged one, or if its scenario can no longer
    be read."""
    data = _parsed(text)
    try:
        result = _read(data)
        undamaged.check(result)
    except ScenarioError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ScenarioError(f"not a result of netsim, or a damaged one: {' '.join(str(error).split())}") from None
    return result


def _read(data: dict[str, Any]) -> Result:
    resources = {name: _called(name, Resource(**one)) for name, one in data["resources"].items()}
    places = {name: _called(name, _place(one, resources)) for name, one in data["places"].items()}
    plain = {one.name: data[one.name] for one in fields(Result)}
    return Result(
        **plain
        | {
            "iterations": tuple(data["iterations"]),
            "processors": _named(data["processors"], resources),
            "utilisation": _named(data["utilisation"], resources),
            "waiting": _named(data["waiting"], resources),
            "bottleneck": resources[data["bottleneck"]],
            "drops": _named(data["drops"], places),
            "curve": _each(CurvePoint, data["curve"]),
            "phases": _each(Phase, data["phases"]),
            "history": tuple(map(tuple, data["history"])),
            "samples": tuple(map(Samples.from_dict, data["samples"])),
            "latencies": data["latencies"] and Latencies.from_dict(data["latencies"]),
            "flows": tuple(map(FlowResult.from_dict, data["flows"])),
            "kinds": _each(TransactionKind, data["kinds"]),
            "scenario": from_plain(data),
        }
    )


def _parsed(text: str) -> dict[str, Any]:
    """The data, checked to be complete."""
    check_type("text", text, str, "what Result.to_json gives")
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ScenarioError(f"not a result of netsim: {error}") from None
    needed = [one.name for one in fields(Result) if one.name not in ADDED]
    missing = [name for name in (*needed, *BESIDE) if not isinstance(data, dict) or name not in data]
    if missing:
        raise ScenarioError(f"not a result of netsim, or one of another version: {missing[0]} is missing")
    found: dict[str, Any] = ADDED | data
    return found


def _named(values: Mapping[str, Any], names: Mapping[str, Any]) -> dict[Any, Any]:
    return {names[name]: value for name, value in values.items()}


def _called(name: str, made: Named) -> Named:
    """What was made from the fields beside its text, checked to have that text."""
    if made != name:
        raise ValueError(f'the fields of "{name}" make "{made}"')
    return made


def _each(make: Callable[..., Any], tables: list[dict[str, Any]]) -> tuple[Any, ...]:
    """An object for each table, made from the keys that are fields; the others follow from them."""
    own = [one.name for one in fields(make)]  # type: ignore[arg-type]
    return tuple(make(**{name: table[name] for name in own}) for table in tables)


def _place(data: Mapping[str, Any], resources: Mapping[str, Resource]) -> DropPlace:
    where, ahead = data["where"], data["ahead"]
    return DropPlace(resources.get(where, where), data["what"], resources[ahead] if ahead else None, data["number"])
