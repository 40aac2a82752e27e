"""Parameter sweeps: a scenario, axes over its dotted addresses, replications, and a store that keeps what was found.

    sweep = ns.sweep(test, {"mtu": [576, 1500], "sender.processors.clock": ["300 MHz", "600 MHz"]}, store="mtu.db")
    sweep.to_frame()

axes (what varies) -> points (one by one, never all at once) -> runner (an executor that is never full to the brim)
-> store (one row for each run, the moment it is known) -> sweep (tables and pictures of what is in the store).

Points have their seeds in common, so that two points differ by what was changed and not by chance. What is in the store
is never computed again, unless netsim's own code or models/ have changed (netsim.sweep.version).
"""

import sys
from types import ModuleType
from typing import Any

from netsim.axes import Axes, latin_hypercube, sobol, zipped
from netsim.sweep.definition import Definition, load
from netsim.sweep.store import Store
from netsim.sweep.sweeping import Sweep, sweep
from netsim.sweep.table import results
from netsim.sweep.version import model_version

__all__ = [
    "Axes",
    "Definition",
    "Store",
    "Sweep",
    "latin_hypercube",
    "load",
    "model_version",
    "results",
    "sobol",
    "sweep",
    "zipped",
]


class _Callable(ModuleType):
    """This package, which is at the same time the function: importing any part of it puts the package in the place of
    `netsim.sweep`, and `ns.sweep(...)` has to work all the same."""

    def __call__(self, *arguments: Any, **options: Any) -> Sweep:
        return sweep(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
