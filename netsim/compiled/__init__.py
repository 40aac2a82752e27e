"""Whether the running parts are compiled; netsim imports this first, so that the others come from where they should.

`setup.py build_ext` compiles them (mypyc) into one library in this folder, beside which it notes the sources that it
was made from. `NETSIM_PURE=1`, no library and one made from other sources each leave everything to the interpreter.
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
LIBRARY = "native__mypyc"  # mypyc's name for the library of a group that is called native
MADE_FROM = FOLDER / f"{LIBRARY}{EXTENSION_SUFFIXES[0]}.sources"


def _usable() -> bool:
    """Whether there is a library of these very sources, and it may be used."""
    if os.environ.get("NETSIM_PURE") == "1" or not MADE_FROM.exists():
        return False
    if MADE_FROM.read_text().split()[0] == sources.digest(FOLDER.parent):
        return True
    print("netsim: the compiled parts are of other sources; the interpreted ones are used (make venv)", file=sys.stderr)
    return False


COMPILED = _usable()  # whether this process runs the compiled parts
VARIANT = "compiled" if COMPILED else "interpreted"
if COMPILED:
    sys.meta_path.insert(0, CompiledModules(import_module(f"{__name__}.{LIBRARY}")))
