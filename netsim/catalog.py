"""models/ by name, with the provenance of every number.

One TOML file per real thing, in one folder per kind: `models/nics/3c905b.toml`. A number stands there with where it
comes from, `tx_every = { value = 8, kind = "documented", source = "eepro100.c 1.09j-t" }`. This module knows no spec:
it reads TOML and tells values from their sources; specs ask it for what they need.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeGuard

from pydantic import BaseModel, ConfigDict, ValidationError

from netsim.errors import ScenarioError, nearest, scenario_error, show

Table = dict[str, Any]
NOTES = ("title", "about", "base", "without")  # keys of a file that are no part of the thing it describes


class Provenance(BaseModel):
    """Where a number comes from; `rows` are the measured rows it was fitted to, `sd` its standard error there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["standard", "documented", "derived", "fitted", "assumed"]
    source: str = ""
    reason: str = ""
    confidence: str | None = None
    rows: tuple[str, ...] = ()
    sd: float | None = None


QUANTITY = re.compile(r"[+-]?[\d._]+([eE][+-]?\d+)?(/\d+)?\s*[A-Za-zµμ/ ]*")
UNSOURCED = Provenance(kind="assumed", reason="no source given")


@dataclass(frozen=True)
class Sourced:
    """A value with its provenance, for code that hands both on (the fit writes its numbers this way)."""

    value: object
    provenance: Provenance


def split(data: object, address: str = "", bare: Provenance | None = None) -> tuple[Any, dict[str, Provenance]]:
    """Nested tables without their provenance, and the provenance by dotted address; `bare` is that of bare values."""
    match _sourced(data, address):
        case Sourced(value=value, provenance=provenance):
            return _split_children(value, address, None)[0], {address: provenance}
    return _split_children(data, address, bare)


def _split_children(data: object, address: str, bare: Provenance | None) -> tuple[Any, dict[str, Provenance]]:
    sources: dict[str, Provenance] = {}

    def child(key: object, value: object) -> Any:
        clean, below = split(value, f"{address}.{key}" if address else str(key), bare)
        sources.update(below)
        return clean

    if isinstance(data, Mapping):
        return {key: child(key, value) for key, value in data.items()}, sources
    if isinstance(data, list | tuple) and data:
        return [child(index, value) for index, value in enumerate(data)], sources
    return data, {address: bare} if bare and address else {}


def _sourced(data: object, address: str) -> object:
    """A table with a value and where it comes from as Sourced; anything else as it is."""
    if not _is_sourced(data):
        return data
    about = {key: value for key, value in data.items() if key != "value"}
    try:
        return Sourced(data["value"], Provenance.model_validate(about))
    except ValidationError as error:
        raise scenario_error(error, ["value", *Provenance.model_fields]).at(address) from None


def _is_sourced(data: object) -> TypeGuard[Mapping[str, Any]]:
    """One word about the source makes it one, so that a forgotten `kind` is missed there."""
    return isinstance(data, Mapping) and "value" in data and not data.keys().isdisjoint(Provenance.model_fields)


# ---- the folder ----


def models_path() -> Path:
    """models/ inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def kinds() -> list[str]:
    """The kinds of things there are: the folders of models/."""
    root = models_path()
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir()) if root.is_dir() else []


def names(kind: str) -> list[str]:
    """The names within a kind. Raises ScenarioError for an unknown kind."""
    if kind not in kinds():
        raise ScenarioError(f"no kind of model is called {show(kind)}{nearest(kind, kinds())}")
    return sorted(entry.stem for entry in (models_path() / kind).glob("*.toml"))


def path(kind: str, name: str) -> Path:
    """The file of a name. Raises ScenarioError with the nearest right name."""
    if name not in names(kind):
        raise ScenarioError(f"nothing in {kind} is called {show(name)}{nearest(name, names(kind))}")
    return models_path() / kind / f"{name}.toml"


def notes(kind: str, name: str) -> dict[str, str]:
    """What a file says about itself: title and about, empty if it doesn't."""
    own = read_toml(path(kind, name))
    return {key: str(own.get(key, "")) for key in ("title", "about")}


def load(kind: str, name: str) -> Table:
    """A file's tables with their provenance, laid over those of its `base` (of the same kind), without its notes.

    `without = ["moderation"]` keeps that table of the base out, where another variant takes its place.
    """
    merged: Table = {}
    for _, own in reversed(_chain(kind, name)):
        inherited = {key: value for key, value in merged.items() if key not in own.get("without", ())}
        merged = _laid_over(inherited, own)
    return {key: value for key, value in merged.items() if key not in NOTES}


def read(kind: str, name: str) -> tuple[Table, dict[str, Provenance]]:
    """A thing's plain tables, and the provenance of each value by address. Raises ScenarioError naming the file."""
    try:
        return split(load(kind, name), bare=UNSOURCED)
    except ScenarioError as error:
        raise error.at(file=error.file or file_of(kind, name, error.address)) from None


def _chain(kind: str, name: str) -> list[tuple[Path, Table]]:
    """The file, its base, the base's base ..."""
    chain: list[tuple[Path, Table]] = []
    following: object = name
    while following is not None:
        file = _base_path(kind, following, chain)
        chain.append((file, _overlaid(file.parent.name, file.stem, read_toml(file))))
        following = chain[-1][1].get("base")
    return chain


def _base_path(kind: str, name: object, chain: Sequence[tuple[Path, Table]]) -> Path:
    """The next file of a chain. Raises ScenarioError, naming the file that asked, for an unknown or circular base."""
    try:
        file = path(kind, str(name))
        if any(file == earlier for earlier, _ in chain):
            raise ScenarioError(f"{show(name)} leads back to itself")
    except ScenarioError as error:
        raise error.at("base", chain[-1][0]) if chain else error from None
    return file


def file_of(kind: str, name: str, address: str) -> Path:
    """The file that says what stands at an address: the thing's own, or the base it inherits it from."""
    chain = _chain(kind, name)
    return next((file for file, own in chain if address and _has(own, address.split("."))), chain[0][0])


def _has(data: object, parts: Sequence[str]) -> bool:
    if not parts:
        return True
    if not isinstance(data, Mapping) or _is_sourced(data):
        return True  # within a list, or about the source of a value
    return parts[0] in data and _has(data[parts[0]], parts[1:])


def _laid_over(below: Table, above: Mapping[str, Any]) -> Table:
    """Two tables as one, the upper one's values winning; a number is replaced together with its provenance."""
    merged = dict(below)
    for key, value in above.items():
        both = isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        deep = both and "value" not in value and "value" not in below[key]
        merged[key] = _laid_over(below[key], value) if deep else copy.deepcopy(value)
    return merged


# ---- other values for a while ----

Overlay = Mapping[tuple[str, str], Mapping[str, object]]  # (kind, name) -> address in that file -> value
_overlays: ContextVar[Overlay] = ContextVar("overlays", default={})


@contextmanager
def overlay(values: Overlay) -> Iterator[None]:
    """Within it, files read as if they said these values (texts, numbers or Sourced) at these addresses.

    A calibration tries its candidates this way. It takes the place of an overlay around it.
    """
    token = _overlays.set(values)
    try:
        yield
    finally:
        _overlays.reset(token)


def _overlaid(kind: str, name: str, own: Table) -> Table:
    for address, value in _overlays.get().get((kind, name), {}).items():
        *tables, key = address.split(".")
        nested: Table = {key: value}
        for table in reversed(tables):
            nested = {table: nested}
        own = _laid_over(own, nested)
    return own


# ---- what is in it ----


def describe(name: str) -> list[tuple[str, str, Provenance]]:
    """(address, value as text, provenance) of every value of a thing, named as "3c905b" or "nics/3c905b"."""
    kind, own = _found(name)
    clean, sources = read(kind, own)
    return [(address, _text(_at(clean, address)), source) for address, source in sources.items()]


def unsourced(kind: str, name: str) -> list[str]:
    """The addresses of a thing's numbers that don't say where they come from (names and tags needn't)."""
    clean, sources = read(kind, name)
    return [at for at, source in sources.items() if source == UNSOURCED and _is_number(_at(clean, at))]


def _is_number(value: object) -> bool:
    """A number, a switch, or text such as "5 us"; but "3c905b" is a name."""
    return isinstance(value, int | float) or (isinstance(value, str) and bool(QUANTITY.fullmatch(value)))


def _found(name: str) -> tuple[str, str]:
    kind, _, own = name.partition("/")
    if own and kind in kinds():
        return kind, path(kind, own).stem
    found = [kind for kind in kinds() if name in names(kind)]
    if len(found) == 1:
        return found[0], name
    everything = [f"{kind}/{own}" for kind in kinds() for own in names(kind)]
    if found:
        raise ScenarioError(f"{show(name)} names several; say which: {', '.join(f'{kind}/{name}' for kind in found)}")
    raise ScenarioError(f"nothing is called {show(name)}{nearest(name, [*everything, *map(_own, everything)])}")


def _own(full: str) -> str:
    return full.partition("/")[2]


def _at(data: Any, address: str) -> object:
    for part in address.split("."):
        data = data[int(part) if isinstance(data, list) else part]
    return data


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# ---- TOML ----


def read_toml(source: Path) -> Table:
    """A file's tables. Raises ScenarioError naming the file if it is missing, unreadable or no TOML."""
    try:
        return _parsed(source, source.stat().st_mtime_ns)
    except OSError as error:
        raise ScenarioError(f"{source} can't be read: {error.strerror}") from None
    except ValueError as error:  # no UTF-8, or no TOML
        raise ScenarioError(f"not valid TOML: {error}", file=str(source)) from None


@lru_cache(maxsize=512)
def _parsed(source: Path, changed: int) -> Table:
    return tomllib.loads(source.read_text(encoding="utf-8"))


def parse_toml(text: str) -> Table:
    """The tables of a TOML text. Raises ScenarioError with line and column."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"not valid TOML: {error}") from None
