"""Imports of compiled modules, which are all in one library instead of a file each."""

from __future__ import annotations

import ctypes
import linecache
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

_INIT = "init_"  # mypyc's library has a capsule for each module, init_netsim___engine___population
_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_pointer = _POINTER(("PyCapsule_GetPointer", ctypes.pythonapi))


class CompiledModules(MetaPathFinder, InspectLoader):
    """Finds the modules of a library that mypyc has made, and loads them."""

    def __init__(self, library: ModuleType) -> None:
        self._library = library
        self._names = {name.removeprefix(_INIT).replace("___", ".") for name in vars(library) if name.startswith(_INIT)}
        for name in self._names:
            # A traceback names the file as the compiler found it; Python would look for it in the current folder.
            linecache.lazycache(f"{name.replace('.', '/')}.py", {"__name__": name, "__loader__": self})

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        return spec_from_loader(fullname, self, origin=self._library.__file__)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, already executed, as the library returns it (see mypyc's module_shim.tmpl)."""
        name = f"{_INIT}{spec.name.replace('.', '___')}"
        address = _pointer(getattr(self._library, name), f"{self._library.__name__}.{name}".encode())
        module: ModuleType = ctypes.PYFUNCTYPE(ctypes.py_object)(address)()
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass

    def get_source(self, fullname: str) -> str:
        package = Path(__file__).parents[1]
        return (package.parent / f"{fullname.replace('.', '/')}.py").read_text(encoding="utf-8")
