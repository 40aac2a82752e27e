"""Parameter sweeps: a scenario, axes over its dotted addresses, replications, and a store that keeps the results.

    sweep = ns.sweep(test, {"mtu": [576, 1500], "sender.processors.clock": ["300 MHz", "600 MHz"]}, store="mtu.db")
    sweep.to_frame()

axes (what varies) -> points (one by one, never all at once) -> runner (an executor with a limited number of runs)
-> store (one row for each run, as soon as it is known) -> sweep (tables and pictures of the store's contents).

Points share their seeds, so that the difference between two points comes from the change and not from chance. Stored
results are never computed again, unless netsim's own code, the user's or models/ have changed (netsim.sweeps.version).
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
