"""netsim: a discrete-event simulation of the path from an application to the wire.

    import netsim as ns

    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    print(ns.simulate(ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)))
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from netsim.errors import ConservationError, NetsimError, ScenarioError, SimulationError
from netsim.result import Result
from netsim.scenario import Scenario, host
from netsim.simulation import simulate
from netsim.spec import Spec
from netsim.workload import Netperf, load

try:
    __version__ = version("netsim")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0"

__all__ = [
    "ConservationError",
    "Netperf",
    "NetsimError",
    "Result",
    "Scenario",
    "ScenarioError",
    "SimulationError",
    "Spec",
    "__version__",
    "calibrate",
    "host",
    "load",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """What is imported when it is first used."""
    if name == "calibrate":
        return import_module("netsim.calibrate")
    raise AttributeError(f"module 'netsim' has no attribute {name!r}")
