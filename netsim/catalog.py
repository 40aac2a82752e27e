"""models/ by name, with the provenance of every number.

One TOML file per real thing, in one folder per kind: `models/nics/3c905b.toml`. A number stands there with where it
comes from, `tx_every = { value = 8, kind = "documented", source = "eepro100.c 1.09j-t" }`. This module knows no spec:
specs ask it for what they need.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netsim.errors import ScenarioError, nearest, show
from netsim.overlay import Overlay, laid_over, overlaid, overlay
from netsim.provenance import UNSOURCED, Provenance, Sourced, is_sourced, split
from netsim.toml import Table, read_toml

__all__ = [
    "NOTES",
    "UNSOURCED",
    "Overlay",
    "Provenance",
    "Sourced",
    "Table",
    "describe",
    "file_of",
    "kinds",
    "load",
    "models_path",
    "names",
    "notes",
    "overlay",
    "path",
    "read",
    "read_toml",
    "split",
    "unsourced",
]

NOTES = ("title", "about", "base", "without")  # keys of a file that are no part of the thing it describes
QUANTITY = re.compile(r"[+-]?[\d._]+([eE][+-]?\d+)?(/\d+)?\s*[A-Za-zµμ/ ]*")


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
        merged = laid_over(inherited, own)
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
        chain.append((file, overlaid(file.parent.name, file.stem, read_toml(file))))
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
    if not isinstance(data, Mapping) or is_sourced(data):
        return True  # within a list, or about the source of a value
    return parts[0] in data and _has(data[parts[0]], parts[1:])


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
