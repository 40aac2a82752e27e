"""The modules that are compiled, and those that the compiler reads: a library made from other sources is not used.

Imports nothing from netsim, since setup.py runs this file where netsim can't be imported yet.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

GROUP = "netsim.compiled.native"  # mypyc makes a library of this name and "__mypyc"
ROOMS = (
    "engine", "bus", "nic", "machine", "stack", "ethernet", "storage", "topology", "workload", "watch", "export"
)  # fmt: skip
INTERPRETED = (  # of their modules; those with descriptions are interpreted, too
    "__init__.py",
    "engine/environment.py",  # SimPy's class is its base
    "engine/interrupts.py",  # a signal's handler, which Python calls
    "engine/heap_calendar.py", "engine/queues.py",  # the interpreter's versions, and the choice
    "machine/port.py",  # costs, which are asked for once
    # Closed forms compute with swept numbers (units/swept.py), which are not integers, and so do these.
    "/bounds.py", "_bounds.py", "/framing.py", "_costs.py", "/bill.py", "/frame_sizes.py", "/raid.py", "/cabling.py",
    "/stations.py", "/file_service.py", "/routes.py", "/ncp_requests.py",
    "run.py",  # a tool's run, which a user's class may inherit from; its clients and connections compile
    "watch/watching.py", "watch/track.py",  # their bases are classes that are not compiled
    "watch/driving.py", "watch/timeline.py", "export/tracing.py", "export/whole_file.py",  # called once for a run
)  # fmt: skip
DESCRIBING = ("pydantic", "netsim.spec")  # the basis of descriptions
# Folders that the compiler ignores.
UNREAD = ("calibration", "cli", "explore", "explorer", "own_machine", "show", "sweeps")


def compiled(package: Path) -> list[str]:
    """The modules that compile, as paths within netsim: "engine/population.py"."""
    rooms = tuple(f"{room}/" for room in ROOMS)
    running = {file for file in _files(package) if file.startswith(rooms) and not file.endswith(INTERPRETED)}
    return sorted(running - describing(package))


def digest(package: Path) -> str:
    """SHA-256 (hex) of all modules that the compiler reads, names and contents; takes about 7 ms."""
    found, root = hashlib.sha256(), os.fspath(package)
    for file in _files(package):
        with open(f"{root}/{file}", "rb") as source:
            content = source.read()
        found.update(f"{file}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def describing(package: Path) -> set[str]:
    """The modules with descriptions: those that import one of DESCRIBING, or have a class that is a description."""
    read = {file: [*_statements(ast.parse((package / file).read_bytes()).body)] for file in _files(package)}
    bases = {one.name: _bases(one) for statements in read.values() for one in _classes(statements)}

    def is_description(name: str) -> bool:
        """No two classes of netsim share a name: a test checks this."""
        return name == "BaseModel" or any(is_description(base) for base in bases.get(name, ()))

    return {
        file
        for file, statements in read.items()
        if any(f"{name}.".startswith(f"{one}.") for name in _imports(statements) for one in DESCRIBING)
        or any(is_description(one.name) for one in _classes(statements))
    }


def _files(package: Path) -> Iterator[str]:
    """All modules that the compiler reads, in order."""
    root = os.fspath(package)
    for folder, below, names in os.walk(root):
        inside = folder[len(root) + 1 :].replace(os.sep, "/")
        below[:] = sorted({*below} - {"__pycache__", *(() if inside else UNREAD)})
        yield from (f"{inside}/{name}" if inside else name for name in sorted(names) if name.endswith(".py"))


def _statements(some: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These statements and those within them, except for those that only type checkers read. Expressions have no
    classes, and no imports."""
    for one in some:
        if not (isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"):
            yield one
            for part in ("body", "handlers", "orelse", "finalbody", "cases"):
                yield from _statements(getattr(one, part, ()))


def _classes(statements: Iterable[ast.AST]) -> Iterator[ast.ClassDef]:
    return (one for one in statements if isinstance(one, ast.ClassDef))


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0] for base in node.bases}


def _imports(statements: Iterable[ast.AST]) -> Iterator[str]:
    """Names of the modules that are imported at run time."""
    for one in statements:
        if isinstance(one, ast.Import):
            yield from (name.name for name in one.names)
        elif isinstance(one, ast.ImportFrom):
            yield one.module or ""
            yield from (f"{one.module}.{name.name}" for name in one.names)
