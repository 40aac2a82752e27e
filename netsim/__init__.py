"""netsim: a discrete-event simulation of the path from an application to the wire.

    import netsim as ns

    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    print(ns.simulate(ns.Netperf("TCP_STREAM", pc, pc)))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from netsim import compiled as compiled  # before all others: it decides where they come from
from netsim.catalog import add_models
from netsim.engine import Environment
from netsim.errors import ConservationError, NetsimError, ScenarioError, SimulationError, StoreError
from netsim.lazy import modules_of
from netsim.measure.simulation import simulate
from netsim.results.result import Result
from netsim.scenario import Scenario, host, netware_host
from netsim.spec import Spec

if TYPE_CHECKING:
    from netsim.calibration import calibrate
    from netsim.catalog.overview import available
    from netsim.explore import bounds, latin_hypercube, sobol, zipped
    from netsim.explore.rfc2544 import rfc2544
    from netsim.explore.sensitivity import sensitivity
    from netsim.export.tracing import trace
    from netsim.measure.loss_free import loss_free
    from netsim.own_machine import import_machine
    from netsim.queueing import mva
    from netsim.show.described import described
    from netsim.sweeps import sweep
    from netsim.watch.timeline import timeline
    from netsim.workload import (
        Chariot,
        Dma,
        Flows,
        Iperf3,
        NetBench,
        Netperf,
        NetPipe,
        Packets,
        Perform3,
        Pktgen,
        Requests,
        Saturation,
        ServerBench,
        load,
    )

    __version__: str

__all__ = [
    "Chariot",
    "ConservationError",
    "Dma",
    "Environment",
    "Flows",
    "Iperf3",
    "NetBench",
    "NetPipe",
    "Netperf",
    "NetsimError",
    "Packets",
    "Perform3",
    "Pktgen",
    "Requests",
    "Result",
    "Saturation",
    "Scenario",
    "ScenarioError",
    "ServerBench",
    "SimulationError",
    "Spec",
    "StoreError",
    "__version__",
    "add_models",
    "available",
    "bounds",
    "calibrate",
    "described",
    "host",
    "import_machine",
    "latin_hypercube",
    "load",
    "loss_free",
    "mva",
    "netware_host",
    "rfc2544",
    "sensitivity",
    "simulate",
    "sobol",
    "sweep",
    "timeline",
    "trace",
    "zipped",
]


_LAZY = {
    **dict.fromkeys(("Chariot", "Dma", "Flows", "Iperf3", "NetBench", "NetPipe", "Netperf"), "workload"),
    **dict.fromkeys(("Packets", "Perform3", "Pktgen", "Requests", "Saturation", "ServerBench", "load"), "workload"),
    **dict.fromkeys(("bounds", "latin_hypercube", "sobol", "zipped"), "explore"),
    "available": "catalog.overview",
    "calibrate": "calibration",
    "import_machine": "own_machine",
    "loss_free": "measure.loss_free",
    "described": "show.described",
    "mva": "queueing",
    "rfc2544": "explore.rfc2544",
    "sensitivity": "explore.sensitivity",
    "sweep": "sweeps",
    "timeline": "watch.timeline",
    "trace": "export.tracing",
}

_module = modules_of(__name__)


def __getattr__(name: str) -> Any:
    """Import a name or a module on its first use, if its import takes a while."""
    if name == "__version__":
        value: Any = _version()
    elif name in _LAZY:
        value = getattr(import_module(f"netsim.{_LAZY[name]}"), name)
    else:
        value = _module(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("netsim-host")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
