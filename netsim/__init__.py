"""netsim: a discrete-event simulation of the path from an application to the wire.

    import netsim as ns

    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    print(ns.simulate(ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from netsim.errors import ConservationError, NetsimError, ScenarioError, SimulationError
from netsim.result import Result
from netsim.scenario import Scenario, host, netware_host
from netsim.simulation import simulate
from netsim.spec import Spec

if TYPE_CHECKING:
    from netsim import calibrate
    from netsim.workload import Chariot, Netperf, NetPipe, Perform3, load

    __version__: str

__all__ = [
    "Chariot",
    "ConservationError",
    "NetPipe",
    "Netperf",
    "NetsimError",
    "Perform3",
    "Result",
    "Scenario",
    "ScenarioError",
    "SimulationError",
    "Spec",
    "__version__",
    "calibrate",
    "host",
    "load",
    "netware_host",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """What takes a while is imported when it is first used."""
    if name in ("Chariot", "NetPipe", "Netperf", "Perform3", "load"):
        value = getattr(import_module("netsim.workload"), name)
    elif name == "calibrate":
        value = import_module("netsim.calibrate")
    elif name == "__version__":
        value = _version()
    else:
        raise AttributeError(f"module 'netsim' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("netsim")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
