"""What is measured: scenarios that keep the whole frame path busy, and a shared medium alone, each with the speed that
is required of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from benchmarks.shared_medium import SharedMedium
from netsim.engine import Environment
from netsim.ethernet import LinkSpec
from netsim.scenario import host
from netsim.stack import ComputerSpec
from netsim.workload import Netperf

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
    """What can be run and counted."""

    def start(self) -> None:
        """Begin."""

    def frames(self) -> int:
        """Frames so far that count."""

    def audit(self) -> None:
        """Check that nothing was lost or made up."""


@dataclass(frozen=True)
class Case:
    """What is run, and how many frames are required in the time of one bare SimPy timeout."""

    name: str
    build: Callable[[Environment], Run]
    required: float
    duration: int = 3 * 10**11  # ps that are measured


class Scenario:
    """A run of a scenario; the frames on all its wires count."""

    def __init__(self, scenario: Netperf, env: Environment) -> None:
        self._run = scenario.build(env)
        self.start, self.audit = self._run.start, self._run.audit

    def frames(self) -> int:
        """See Run."""
        return sum(self._run.accounts().frames.values())


def gigabit(model: str) -> ComputerSpec:
    """A host with an adapter for 1 Gbit/s on a bus that can carry it."""
    changes = {"nics.0.rate": "1 Gbit/s", "bus.width": 8, "bus.clock": "66.666666 MHz"}
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


def cases() -> list[Case]:
    """All of them."""
    return [
        Case("TCP, 1 Gbit/s", partial(Scenario, tcp_gigabit()), 0.12),
        Case("UDP, 100 Mbit/s", partial(Scenario, fast_ethernet("UDP_STREAM")), 0.15),
        Case("CSMA/CD, 5", partial(SharedMedium, 5), 0.15, 3 * 10**12),
        Case("CSMA/CD, 60", partial(SharedMedium, 60), 0.04, 3 * 10**12),
    ]
