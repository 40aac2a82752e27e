"""Whether the running parts are compiled; netsim imports this first, so that the others load from the right place.

`setup.py build_ext` compiles them (mypyc) into one library in this folder, and notes beside it the sources that it was
made from. The interpreter runs everything if `NETSIM_PURE=1` is set, or if there is no library or one made from other
sources.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from netsim.compiled import sources
from netsim.compiled.finder import CompiledModules

FOLDER = Path(__file__).parent
LIBRARY = "native__mypyc"  # mypyc's name for the library of a group called native
MADE_FROM = FOLDER / f"{LIBRARY}{EXTENSION_SUFFIXES[0]}.sources"


def _usable() -> bool:
    """Whether there is a library made from these sources, and it may be used."""
    if os.environ.get("NETSIM_PURE") == "1" or not MADE_FROM.exists():
        return False
    if MADE_FROM.read_text().split()[0] == sources.digest(FOLDER.parent):
        return True
    print("netsim: the compiled parts come from other sources; interpreted ones are used (make venv)", file=sys.stderr)
    return False


COMPILED = _usable()  # whether this process runs the compiled parts
VARIANT = "compiled" if COMPILED else "interpreted"
if COMPILED:
    sys.meta_path.insert(0, CompiledModules(import_module(f"{__name__}.{LIBRARY}")))
