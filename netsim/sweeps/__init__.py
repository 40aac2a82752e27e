"""Parameter sweeps: a scenario, axes over its dotted addresses, replications, and a store that keeps what was found.

    sweep = ns.sweep(test, {"mtu": [576, 1500], "sender.processors.clock": ["300 MHz", "600 MHz"]}, store="mtu.db")
    sweep.to_frame()

axes (what varies) -> points (one by one, never all at once) -> runner (an executor that is never full to the brim)
-> store (one row for each run, the moment it is known) -> sweep (tables and pictures of what is in the store).

Points have their seeds in common, so that two points differ by what was changed and not by chance. What is in the store
is never computed again, unless netsim's own code or models/ have changed (netsim.sweeps.version).
"""

from netsim.explore import Axes, latin_hypercube, sobol, zipped
from netsim.sweeps.definition import Definition, load
from netsim.sweeps.store import Store
from netsim.sweeps.sweeping import Sweep, sweep
from netsim.sweeps.table import results
from netsim.sweeps.version import model_version

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
