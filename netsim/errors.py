"""The few exceptions that a user can meet, and suggestions for a misspelt name.

A `ScenarioError` is one line: where, what is wrong, what is allowed. It is assembled from parts, because the code that
finds a wrong value (a unit, deep inside) knows neither its full address nor the file it came from.
"""

from __future__ import annotations

import difflib
import json
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import ValidationError

T = TypeVar("T")
LONGEST = 60  # characters of a value shown in a message


class NetsimError(Exception):
    """Base class of netsim's own errors."""


class ScenarioError(NetsimError, ValueError):
    """Wrong input: the `problem`, its dotted `address` and its `file`, as far as known."""

    def __init__(self, problem: str, *, address: str = "", file: str = "") -> None:
        super().__init__(problem)  # args stay (problem,), so that the error crosses process borders
        self.problem, self.address, self.file = problem, address, file

    def at(self, address: object = "", file: object = "") -> ScenarioError:
        """The same problem seen from one level further out; the innermost file is the one that counts."""
        full = ".".join(part for part in (str(address), self.address) if part)
        return ScenarioError(self.problem, address=full, file=self.file or str(file))

    def called(self, names: Mapping[str, str]) -> ScenarioError:
        """The same problem, with its argument under the name that the user knows."""
        address = names.get(self.address, self.address)
        return ScenarioError(self.problem, address=address, file=self.file)

    def __str__(self) -> str:
        where = f"{self.address}: " if self.address else ""
        return f"{where}{self.problem}" + (f" (in {self.file})" if self.file else "")


class SimulationError(NetsimError):
    """A run that can't finish; the message names the run and the reason."""


class ConservationError(SimulationError):
    """Frames, bytes or time are missing in a run. This is a fault in netsim, never in the input."""


class StoreError(NetsimError):
    """A file of results that can't be read or written; the message names the file, and says what can still be read."""


def check_type(name: str, value: object, kinds: type | tuple[type, ...], allowed: str) -> None:
    """Check that an argument has one of these types; bool counts only if listed. Raises ScenarioError otherwise."""
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, every) or (isinstance(value, bool) and bool not in every):
        raise ScenarioError(f"{show(value)} is not allowed; allowed: {allowed}", address=name)


def whole_number(name: str, value: object, lowest: int, highest: int = 0) -> int:
    """An argument as a whole number, up to `highest` (0: without limit). Raises ScenarioError."""
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, int) or number < lowest or (highest and number > highest):
        allowed = f"a whole number, {lowest} to {highest}" if highest else f"a whole number, {lowest} or more"
        raise ScenarioError(f"{show(value)} is not allowed; allowed: {allowed}", address=name)
    return number


def plain(value: T) -> T:
    """A NumPy number as a Python number, so that results do not depend on which one a user had; other values as they
    are."""
    if not isinstance(value, numbers.Real) or not hasattr(value, "dtype"):
        return value
    return cast("T", int(value) if isinstance(value, numbers.Integral) else float(value))


def path_of(name: str, value: object) -> Path:
    """An argument as a file's path. Raises ScenarioError."""
    check_type(name, value, (str, Path), "a file's path")
    return Path(value)  # type: ignore[arg-type]


def nearest(name: str, candidates: Iterable[object]) -> str:
    """` (did you mean "x"?)` for a near miss, else `; allowed: ...`, to be appended to a message."""
    allowed = list(dict.fromkeys(str(candidate) for candidate in candidates))
    return near_miss(name, allowed) or f"; allowed: {', '.join(allowed) or 'nothing'}"


def near_miss(name: str, candidates: Iterable[str]) -> str:
    """` (did you mean "x"?)`, or nothing if no candidate is similar."""
    folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f' (did you mean "{folded[close[0]]}"?)' if close else ""


def no_choice(value: object, allowed: Sequence[str]) -> ScenarioError:
    """The error for a word that is not allowed."""
    near = near_miss(str(value), allowed)
    return ScenarioError(f"{show(value)} is not allowed{near}; allowed: {', '.join(allowed)}")


def show(value: object) -> str:
    """A value as a user would write it, on one short line."""
    try:
        text = json.dumps(plain(value), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = _repr([*value] if isinstance(value, tuple) else value)  # a list, as JSON has it
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _repr(value: object) -> str:
    """A value's repr on one line; its type if it has none that works."""
    try:
        return " ".join(repr(value).split())
    except Exception:
        return f"a {type(value).__name__}"


_MORE = re.compile(r" \(and (\d+) more wrong\)$")


def scenario_error(error: ValidationError, names: Iterable[str] = ()) -> ScenarioError:
    """pydantic's report on one model, whose fields are `names`, as one line.

    A misspelt key comes first; a missing one is reported only if nothing else is wrong, as it was probably misspelt.
    """
    found = error.errors(include_url=False)
    misspelt = [one for one in found if one["type"] == "extra_forbidden"]
    shown = [*misspelt, *(one for one in found if one["type"] not in ("extra_forbidden", "missing"))] or found
    beside = [one for one in shown if one["loc"][:1] == shown[0]["loc"][:1]]  # a union has several; others only count
    each = [_translated(dict(one), names) for one in beside]
    first = each[0]
    same = [one.problem for one in each if one.address == first.address]
    others = len({one.address for one in each}) + len({str(one["loc"][:1]) for one in shown}) - 2
    others += sum(int(more[1]) for one in same if (more := _MORE.search(one)))
    ways = " or ".join(dict.fromkeys(_MORE.sub("", one) for one in same))
    return ScenarioError(ways + f" (and {others} more wrong)" * bool(others), address=first.address, file=first.file)


def _translated(one: Mapping[str, Any], names: Iterable[str]) -> ScenarioError:
    """One of pydantic's error records as a ScenarioError."""
    context = one.get("ctx", {})
    inner = context.get("error")
    tag = context["discriminator"].strip("'") if "discriminator" in context else ""
    address = ".".join(part for part in (_address(one["loc"]), tag) if part)
    if isinstance(inner, ScenarioError):
        return inner.at(address)
    return ScenarioError(_problem(one, inner, names), address=address)


def _address(loc: tuple[int | str, ...]) -> str:
    """pydantic's location within ONE model: its key and indices, without the names of a union's members."""
    return ".".join(str(part) for depth, part in enumerate(loc) if depth == 0 or isinstance(part, int))


def _problem(one: Mapping[str, Any], inner: object, names: Iterable[str]) -> str:
    """What is wrong and what is allowed."""
    value, context = show(one["input"]), one.get("ctx", {})
    match one["type"]:
        case "extra_forbidden":
            return "no such key" + nearest(str(one["loc"][-1]), names)
        case "missing" | "union_tag_not_found":
            return "missing" + _wanted(_annotation(one["loc"], names))
        case "literal_error":
            return no_choice(one["input"], _words(r"'([^']*)'|(?:^|, | or )(-?\w+)", context["expected"])).problem
        case "union_tag_invalid":
            return no_choice(context["tag"], _words(r"'([^']*)'()", context["expected_tags"])).problem
        case "model_attributes_type":
            return _no_variant(one["input"], _annotation(one["loc"], names))
        case "tuple_type" | "list_type":
            return f"{value} is not allowed; allowed: a list"
        case "value_error" | "assertion_error":
            return f"{inner}" if not one["loc"] else f"{value}: {inner}"
    return f"{value} is not allowed; allowed: {one['msg'].removeprefix('Input should be ')}"


def _annotation(loc: tuple[int | str, ...], names: Iterable[str]) -> Any:
    """The type of the field at a location, if the model's fields are known."""
    field = names.get(loc[0]) if isinstance(names, Mapping) and loc else None
    return getattr(field, "annotation", None)


def _no_variant(value: object, annotation: Any) -> str:
    """The problem of a value that is neither a table with a tag nor one of the tag's words."""
    if (tags := dict(_tags(annotation))) and isinstance(value, str):
        return no_choice(value, [*tags]).problem
    keys = f" with {' or '.join(dict.fromkeys(tags.values()))} ({', '.join(tags)})" if tags else ""
    return f"{show(value)} is not allowed; allowed: a table{keys}"


def _tags(annotation: Any) -> Iterator[tuple[str, str]]:
    """The words that tell the variants of a type apart, each with its key."""
    for name, field in getattr(annotation, "model_fields", {}).items():
        if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1:
            yield get_args(field.annotation)[0], name
    for one in get_args(annotation):
        yield from _tags(one)


def _wanted(annotation: Any) -> str:
    """The allowed values of a missing field, if a few words describe them."""
    if get_origin(annotation) is Literal:
        return f"; allowed: {', '.join(map(str, get_args(annotation)))}"
    catalogue = getattr(annotation, "catalogue", "")
    return f"; allowed: a name in {catalogue} (netsim list {catalogue}), or a table" if catalogue else ""


def _words(choice: str, text: str) -> list[str]:
    """The choices in one of pydantic's lists (each quoted, or a bare number)."""
    return [quoted or bare for quoted, bare in re.findall(choice, text)]
