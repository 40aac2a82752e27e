"""Modules that are imported on their first use, so that the first answer is quick."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package: its modules are there without an import, whatever was imported before."""

    def module(name: str) -> ModuleType:
        full = f"{package}.{name}"
        try:
            if not name.startswith("_"):  # Python itself asks for such names
                return import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return module
