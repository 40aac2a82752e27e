"""models/ by name, with the provenance of every number.

One TOML file per real thing, in one folder per category, `models/nics/3c905b.toml`. Each number has its provenance
there, `tx_every = { value = 8, kind = "documented", source = "eepro100.c 1.09j-t" }`. The user's own folders, laid out
in the same way, add to models/. This module knows no specs: they ask it for data.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from operator import is_not
from pathlib import Path
from typing import Any

from netsim.catalog.overlay import laid_over, overlaid
from netsim.catalog.provenance import UNSOURCED, Plain, Provenance, is_sourced, split
from netsim.catalog.toml_file import Table, read_toml
from netsim.errors import ScenarioError, near_miss, nearest, path_of, show

MODELS = "NETSIM_MODELS"  # environment variable with the user's own folders, separated as in PATH
# Keys of a file that are not part of the thing it describes.
NOTES = ("title", "about", "base", "without", "cards", "systems")
QUANTITY = re.compile(r"[+-]?[\d._]+([eE][+-]?\d+)?(/\d+)?\s*[A-Za-zµμ/ ]*")
_known: set[Path] = set()  # files found for names: only their existence is checked again
# Data of files when last read, with the tables they were made from: while these stay the same, so do the data.
_kept: dict[Path, tuple[list[Table], tuple[Table, dict[str, Provenance]]]] = {}


# ---- the folders ----


@cache
def models_path() -> Path:
    """models/ inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def own_folders() -> tuple[Path, ...]:
    """The folders that NETSIM_MODELS names. Raises ScenarioError if one is not a folder, or not laid out as models/."""
    named = os.environ.get(MODELS, "").split(os.pathsep)
    return tuple(_laid_out(os.path.abspath(one), MODELS) for one in named if one)


def add_models(folder: str | Path) -> None:
    """Add the files in `folder` to those of models/: `folder`/nics/my-card.toml becomes "my-card", and its `base` may
    be in models/. The folder is added to NETSIM_MODELS, so that processes started later know it, too. Raises
    ScenarioError if it is not a folder, or not laid out as models/."""
    text = os.path.abspath(path_of("folder", folder))
    if os.pathsep in text:
        raise ScenarioError(f"{show(text)} has a {os.pathsep!r}, which separates folders", address="folder")
    every = dict.fromkeys([*own_folders(), _laid_out(text, "folder")])
    os.environ[MODELS] = os.pathsep.join(map(str, every))


@lru_cache
def _laid_out(text: str, address: str) -> Path:
    """The folder that `address` names. Raises ScenarioError if it is none, or not laid out as models/."""
    folder = Path(text)
    if not _is(folder, Path.is_dir):
        raise ScenarioError(f"{show(str(folder))} is not a folder", address=address)
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.name.startswith(".") and entry.name not in categories():
            near = nearest(entry.name, categories())
            problem = f"{show(entry.name)} in {folder} is not a category of models{near}"
            raise ScenarioError(problem, address=address)
    return folder


def categories() -> list[str]:
    """The folders of models/: nics, drivers, hosts ..."""
    root = models_path()
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir()) if root.is_dir() else []


def names(category: str) -> list[str]:
    """The names within a category. Raises ScenarioError for an unknown category."""
    return sorted({file.stem for file in _files(category)})


def path(category: str, name: str) -> Path:
    """The file of a name. Raises ScenarioError with the nearest right name, or if there are several such files."""
    there = [file for folder in _folders() if _is(file := folder / category / f"{name}.toml", Path.is_file)]
    if len(there) == 1 and there[0] in _known:
        return there[0]
    found = [file for file in _files(category) if file.stem == name]
    if not found:
        raise ScenarioError(f"nothing in {category} is called {show(name)}{nearest(name, names(category))}")
    if len(found) > 1:
        problem = f"several files define {category}/{name}: {', '.join(map(str, found))}; allowed: one"
        raise ScenarioError(problem, address=MODELS)
    _known.add(found[0])
    return found[0]


def _is(path: Path, what: Callable[[Path], bool]) -> bool:
    """Whether a path is that; False for a name that no file can have."""
    try:
        return what(path)
    except (OSError, ValueError):
        return False


def _files(category: str) -> list[Path]:
    if category not in categories():
        raise ScenarioError(f"no category of models is called {show(category)}{nearest(category, categories())}")
    return [file for folder in _folders() for file in (folder / category).glob("*.toml")]


def _folders() -> tuple[Path, ...]:
    return models_path(), *own_folders()


def notes(category: str, name: str) -> dict[str, str]:
    """A file's title and about, empty if it has none."""
    own = read_toml(path(category, name))
    return {key: str(own.get(key, "")) for key in ("title", "about")}


def load(category: str, name: str) -> Table:
    """A file's tables with their provenance, laid over those of its `base`, without its notes.

    `without = ["moderation"]` leaves out that table of the base, so that another variant can replace it. A base is of
    the same category, or names its own: `base = "systems/windows-2000"`.
    """
    merged: Table = {}
    for _, own in reversed(_chain(category, name)):
        inherited = {key: value for key, value in merged.items() if key not in own.get("without", ())}
        merged = laid_over(inherited, own)
    return {key: value for key, value in merged.items() if key not in NOTES}


def read(category: str, name: str) -> tuple[Table, dict[str, Provenance]]:
    """A thing's plain tables, and the provenance of each value by address. Raises ScenarioError naming the file."""
    chain = _chain(category, name)
    file, tables = chain[0][0], [own for _, own in chain]
    kept = _kept.get(file)
    if kept is None or len(kept[0]) != len(tables) or any(map(is_not, kept[0], tables)):
        kept = _kept[file] = tables, _split(category, name)
    data, sources = kept[1]
    return _copied(data), dict(sources)


def _split(category: str, name: str) -> tuple[Table, dict[str, Provenance]]:
    try:
        return split(load(category, name), bare=UNSOURCED)
    except ScenarioError as error:
        raise error.at(file=error.file or file_of(category, name, error.address)) from None


def _copied(data: Any) -> Any:
    """Copies of tables and lists, whose contents never change."""
    if isinstance(data, dict):
        return Plain({key: _copied(value) for key, value in data.items()})
    return list(map(_copied, data)) if isinstance(data, list) else data


def _chain(category: str, name: str) -> list[tuple[Path, Table]]:
    """The file, its base, the base's base ..."""
    chain: list[tuple[Path, Table]] = []
    following: object = name
    while following is not None:
        file = _base_path(category, following, chain)
        category = file.parent.name
        chain.append((file, overlaid(category, file.stem, read_toml(file))))
        following = chain[-1][1].get("base")
    return chain


def _base_path(category: str, name: object, chain: Sequence[tuple[Path, Table]]) -> Path:
    """The next file of a chain. Raises ScenarioError, naming the file that asked, for an unknown or circular base."""
    given, slash, own = str(name).partition("/")
    try:
        file = path(given, own) if slash and chain else path(category, str(name))
        if any(file == earlier for earlier, _ in chain):
            raise ScenarioError(f"{show(name)} is based on itself")
    except ScenarioError as error:
        raise error.at("base", chain[-1][0]) if chain else error from None
    return file


def file_of(category: str, name: str, address: str) -> Path:
    """The file that defines an address: the thing's own, or the base that it inherits it from."""
    chain = _chain(category, name)
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
    category, own = located(name)
    clean, sources = read(category, own)
    return [(address, _text(_at(clean, address)), source) for address, source in sources.items()]


def unsourced(category: str, name: str) -> list[str]:
    """The addresses of a thing's numbers that don't say where they come from (names and tags needn't)."""
    clean, sources = read(category, name)
    return [at for at, source in sources.items() if source == UNSOURCED and _is_number(_at(clean, at))]


def _is_number(value: object) -> bool:
    """A number, a switch, or text such as "5 us"; but "3c905b" is a name."""
    return isinstance(value, int | float) or (isinstance(value, str) and bool(QUANTITY.fullmatch(value)))


def located(name: str) -> tuple[str, str]:
    """The category and the name of a thing named as in `describe`. Raises ScenarioError with the nearest right name, or
    if several have it."""
    category, _, own = name.partition("/")
    if own and category in categories():
        return category, path(category, own).stem
    found = [category for category in categories() if name in names(category)]
    if len(found) == 1:
        return found[0], name
    everything = [f"{category}/{own}" for category in categories() for own in names(category)]
    if found:
        full = ", ".join(f"{category}/{name}" for category in found)
        raise ScenarioError(f"{show(name)} is ambiguous; allowed: {full}")
    near = near_miss(name, [*everything, *map(_own, everything)])
    raise ScenarioError(f"nothing is called {show(name)}{near or '; allowed: what netsim list prints'}")


def _own(full: str) -> str:
    return full.partition("/")[2]


def _at(data: Any, address: str) -> object:
    for part in address.split("."):
        data = data[int(part) if isinstance(data, list) else part]
    return data


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
