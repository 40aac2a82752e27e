"""The code outside netsim that a result depends on: where its scenario's class is defined, and all that is imported
there. Python's own library does not count, nor do other packages that are installed.

Imports are taken from the text, not from what is loaded: so processes that have loaded different parts agree. A text is
read once for each time that a process loads it, because an edited module runs as it was until it is loaded again.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import linecache
import os
import sys
from collections.abc import Iterator
from functools import cache
from inspect import isfunction
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from netsim.spec import Spec

_OTHERS = {"netsim", *sys.stdlib_module_names}
_INSTALLED = {"site-packages", "dist-packages"}  # folders
_read: dict[str, tuple[object, bytes]] = {}  # file -> what identifies the loading, and its text


class _Place(NamedTuple):
    """A file, or a notebook's cell, and the module that it belongs to."""

    file: str
    module: str
    package: str


def own_code(kind: type) -> str:
    """SHA-256 (hex) of the texts that a class of scenarios depends on; empty if netsim defines it."""
    found: dict[str, bytes] = {}
    left = [place for one in kind.__mro__ if issubclass(one, Spec) for place in _defining(one, installed=True)]
    while left:
        place = left.pop()
        if place.file not in found:
            found[place.file] = _text(place)
            left += _used(place, found[place.file])
    digests = sorted(hashlib.sha256(text).hexdigest() for text in found.values())
    return hashlib.sha256("".join(digests).encode()).hexdigest() if digests else ""


def _defining(one: Any, installed: bool = False) -> Iterator[_Place]:
    """Where a class or a function is defined, if that is outside."""
    name = one.__module__
    module = sys.modules.get(name)
    if getattr(module, "__file__", None) is not None:
        yield from _module(name, installed)
    elif module is not None and name.partition(".")[0] not in _OTHERS:
        functions = [value for value in (one, *vars(one).values()) if isfunction(value) and value.__module__ == name]
        yield _Place(functions[0].__code__.co_filename if functions else f"<{one.__qualname__}>", name, "")


def _module(name: str, installed: bool = False) -> Iterator[_Place]:
    """The module of this name, if it is outside; one of an `installed` package, too."""
    if name.partition(".")[0] in _OTHERS:
        return
    module = sys.modules.get(name)
    if name in ("__main__", "__mp_main__"):  # they need not have a spec
        file, package = getattr(module, "__file__", None), getattr(module, "__package__", None)
    else:
        file, package = _found(name)
    if file is not None and (installed or _INSTALLED.isdisjoint(Path(file).parts)):
        yield _Place(file, name, package or "")


def _found(name: str) -> tuple[str | None, str]:
    """The file and the package of a module, loaded or not; no file if there is none."""
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # it imports the package around, which is the user's code
        return None, ""
    return (spec.origin, spec.parent or "") if spec and spec.has_location else (None, "")


def _text(place: _Place) -> bytes:
    """The text as it was when it was first read after being loaded. One that can't be read equals no other."""
    module = sys.modules.get(place.module)
    if module is None:
        return _content(place.file)
    load, known = getattr(module, "__spec__", None), _read.get(place.file)
    if known is None or known[0] is not load:
        known = _read[place.file] = load, _content(place.file)
    return known[1]


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return "".join(linecache.getlines(file)).encode() or os.urandom(32)  # of a cell


def _used(place: _Place, text: bytes) -> Iterator[_Place]:
    """What a text imports; and in a cell, what other cells have defined or imported for it."""
    imports, names = _names(text, place.package)
    for name in imports:
        yield from _module(name)
    module = sys.modules.get(place.module)
    if module is not None and getattr(module, "__file__", None) is None:
        for value in map(vars(module).get, names):
            if isinstance(value, ModuleType):
                yield from _module(value.__name__)
            elif isfunction(value) or isinstance(value, type):
                yield from _defining(value)


@cache
def _names(text: bytes, package: str) -> tuple[list[str], list[str]]:
    """The modules that a text imports, with the packages around them, and the names that it uses."""
    try:
        nodes = [*_nodes(ast.parse(text))]
    except (SyntaxError, ValueError):  # such as a compiled module
        return [], []
    found = [name for node in nodes for name in _imports(node, package)]
    imports = dict.fromkeys(name for one in found for name in accumulate(one.split("."), _dotted))
    return [*imports], [node.id for node in nodes if isinstance(node, ast.Name)]


def _dotted(package: str, name: str) -> str:
    return f"{package}.{name}"


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all within it, except for what only a main program does."""
    yield node
    if not (isinstance(node, ast.If) and "__name__" in ast.dump(node.test)):
        for one in ast.iter_child_nodes(node):
            yield from _nodes(one)


def _imports(node: ast.AST, package: str) -> list[str]:
    """What a statement imports; for `from a import b`, which may be a module, a.b as well."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    around = package.split(".")[: 1 - node.level or None] if node.level else []
    base = ".".join([*around, *([node.module] if node.module else [])])
    return [f"{base}.{one.name}" for one in node.names]
