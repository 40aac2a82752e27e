"""A result that was read is checked to have numbers where its annotations say so; JSON has anything anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from netsim.errors import ScenarioError, check_type, whole_number
from netsim.results.result import Result
from netsim.scenario import Scenario

_SCALARS: dict[Any, tuple[Any, str]] = {
    float: ((int, float), "a number"), bool: (bool, "true or false"), str: (str, "a text")
}  # fmt: skip


def check(result: Result) -> None:
    """Check the types of all that is in a result. Raises ScenarioError, with the address of the first wrong value."""
    _fields("", result)
    if not result.iterations:
        raise ScenarioError("it is empty; allowed: a number for each iteration", address="iterations")


def _fields(above: str, value: Any) -> None:
    for name, hint in _hints(type(value)).items():  # type: ignore[arg-type]  # types are hashable
        _check(f"{above}{name}", getattr(value, name), hint)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Scenario": Scenario})


def _check(name: str, value: Any, hint: Any) -> None:
    """Check a value, and what is in it; resources, places and the scenario were checked as they were made."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is int:
        whole_number(name, value, 0)
    elif hint in _SCALARS:
        check_type(name, value, *_SCALARS[hint])
    elif origin is UnionType and value is not None:
        _check(name, value, inner[0])
    elif origin is tuple:
        for number, one in enumerate(value):
            _check(f"{name}.{number}", one, inner[0 if ... in inner else number])
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        check_type(name, value, Mapping, "a table")
        for key, one in value.items():
            _check(f"{name}.{key}", one, inner[1])
    elif is_dataclass(hint):
        _fields(f"{name}.", value)
