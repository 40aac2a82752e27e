"""What compiles, and what the compiler reads for it: a build of other sources is none.

Imports nothing of netsim, since setup.py runs this file where netsim can't be imported yet.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

GROUP = "netsim.compiled.native"  # mypyc puts them into a library of this name and "__mypyc"
ROOMS = ("engine", "bus", "nic", "machine", "stack", "ethernet", "storage", "topology", "workload", "watch")
DESCRIBES = ("pydantic", "netsim.spec")  # a module that imports one of these describes, and is interpreted
NOT_YET = (
    "bus", "nic", "machine", "stack", "ethernet", "storage", "topology", "workload", "watch", "engine/environment.py",
)  # modules and folders that run interpreted until they compile  # fmt: skip
UNSEEN = ("calibration", "cli", "explore", "export", "show", "sweeps")  # rooms that the compiler never reads


def compiled(package: Path) -> list[str]:
    """The modules that compile, as paths within netsim ("engine/population.py")."""
    return [file for file in _files(package) if _runs(package, file) and not file.startswith(NOT_YET)]


def digest(package: Path) -> str:
    """SHA-256 (hex) of all that the compiler may read, names and contents; a few milliseconds."""
    found = hashlib.sha256()
    for file in _files(package):
        found.update(file.encode() + b"\0")
        found.update(hashlib.sha256((package / file).read_bytes()).digest())
    return found.hexdigest()


def _files(package: Path) -> Iterator[str]:
    """All modules that the compiler may read, in order."""
    for folder, below, names in os.walk(package):
        below[:] = sorted({*below} - {"__pycache__", *(UNSEEN if Path(folder) == package else ())})
        for name in sorted(names):
            if name.endswith(".py"):
                yield Path(folder, name).relative_to(package).as_posix()


def _runs(package: Path, file: str) -> bool:
    """Whether a module is a part in a running simulation."""
    if not file.startswith(tuple(f"{room}/" for room in ROOMS)) or file.endswith("__init__.py"):
        return False
    imported = _imports(ast.parse((package / file).read_bytes()))
    return not any(f"{name}.".startswith(f"{other}.") for name in imported for other in DESCRIBES)


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
