"""The cases measured: scenarios that keep the whole frame path busy, and a shared medium alone, each with the required
speed in each variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from benchmarks.shared_medium import SharedMedium
from netsim.engine import Environment
from netsim.ethernet import LinkSpec
from netsim.scenario import Scenario as Test
from netsim.scenario import host, netware_host
from netsim.stack import ComputerSpec
from netsim.workload import Chariot, Netperf, Packets, Perform3, ServerBench

SYSTEM = "linux-2.2.16"
ADAPTERS = (
    "3c905b/3c59x",
    "3c905b/3c90x",
    "dfe570tx/tulip",
    "eepro100/eepro100",
    "lne100tx/tulip",
    "rtl8139/rtl8139",
)


class Run(Protocol):
    """Something that can be run and whose frames can be counted."""

    def start(self) -> None:
        """Begin."""

    def frames(self) -> int:
        """The frames counted so far."""

    def audit(self) -> None:
        """Check that no frame was lost or invented."""


class Required(NamedTuple):
    """The minimum number of frames in the time of one bare SimPy timeout."""

    compiled: float
    interpreted: float


@dataclass(frozen=True)
class Case:
    """A run, and its required speed."""

    name: str
    build: Callable[[Environment], Run]
    required: Required
    duration: int = 3 * 10**11  # measured time (ps)


class Scenario:
    """A run of a scenario; the frames on all of its wires are counted."""

    def __init__(self, scenario: Test, env: Environment) -> None:
        self._run = scenario.build(env)
        self.start, self.audit = self._run.start, self._run.audit

    def frames(self) -> int:
        """See Run."""
        return sum(self._run.accounts().frames.values())


def gigabit(model: str) -> ComputerSpec:
    """A host with an adapter for 1 Gbit/s on a bus that can carry it."""
    changes = {"nics.0.rate": "1 Gbit/s", "bus.width": 8, "bus.clock": "66.666666 MHz"}
    changes |= {"nics.0.bus_width": 8, "nics.0.bus_clock": "66.666666 MHz"}
    return host(model, system=SYSTEM, nics=["3c905b/3c59x"]).replace(changes)


def tcp_gigabit() -> Netperf:
    """Bulk TCP over 1 Gbit/s."""
    link = LinkSpec.from_name("1000base-sx")
    return Netperf(test="TCP_STREAM", sender=gigabit("2xpii-400"), receiver=gigabit("piii-600"), link=link)


def fast_ethernet(test: str, adapter: str = "3c905b/3c59x", model: str = "piii-600") -> Netperf:
    """A test between two equal hosts; UDP in messages of 8 KiB from socket buffers of 32 KiB."""
    pc = host(model, system=SYSTEM, nics=[adapter])
    if test == "TCP_STREAM":
        return Netperf(test="TCP_STREAM", sender=pc, receiver=pc)
    buffers = {"message": 8192, "send_buffer": 32768, "receive_buffer": 32768}
    return Netperf(test="UDP_STREAM", sender=pc, receiver=pc, **buffers)


def switched() -> Chariot:
    """Files both ways between a server with two adapters and eight clients on a switch."""
    pc = host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    server = pc.replace("nics", ["3c905b/3c59x"] * 2)
    return Chariot(flow="bidirectional", server=server, clients=[pc] * 8, switch="aceswitch-180")


def netware() -> Perform3:
    """Five workstations that read from a server's memory over NetWare's core protocol, all on one cable."""
    server = netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"])
    own = netware_host("ast-premium-5", system="netx-3", nics=["ne2000/ne2000-odi"])
    return Perform3(server=server, workstations=[own] * 5, segment="10base2", file_sizes=["10 KiB"])


def disks() -> ServerBench:
    """A server whose clients request more data than its memory holds, so that its disks are busy."""
    server = host("netfinity-5500", system="windows-nt-4.0", nics=["etherjet-100/ibmfent"] * 4)
    client = host("pc-750-166", system="windows-nt-4.0", nics=["etherjet-100/ibmfent"])
    return ServerBench(server=server, client=client, clients=48, mix="sys-60")


def twenty_million() -> Packets:
    """Frames of 64 bytes, dropped by one core under NAPI."""
    host = {"server": "xeon-e5-1650-v4", "pcie": "pcie-3-x16", "adapter": "connectx-5", "driver": "mlx5"}
    return Packets("xdp-drop", offered=20_000_000, kernel="linux-4.18", link="100gbase-sr4", **host)


def cases() -> list[Case]:
    """All cases."""
    return [
        Case("TCP, 1 Gbit/s", partial(Scenario, tcp_gigabit()), Required(0.20, 0.024)),
        Case("UDP, 100 Mbit/s", partial(Scenario, fast_ethernet("UDP_STREAM")), Required(0.22, 0.048)),
        Case("CSMA/CD, 5", partial(SharedMedium, 5), Required(0.42, 0.17), 3 * 10**12),
        Case("CSMA/CD, 60", partial(SharedMedium, 60), Required(0.12, 0.047), 3 * 10**12),
        Case("Chariot, a switch", partial(Scenario, switched()), Required(0.20, 0.021)),
        Case("PERFORM3, NCP", partial(Scenario, netware()), Required(0.070, 0.012), 3 * 10**12),
        Case("Packets, 20 Mpps", partial(Scenario, twenty_million()), Required(1.0, 0.3), 10**11),
        Case("ServerBench, disks", partial(Scenario, disks()), Required(0.011, 0.0028), 10**12),
    ]
