"""What is measured: scenarios that keep the whole frame path busy, each with the speed that is required of it."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Case:
    """A scenario, and how many frames are required in the time of one bare SimPy timeout."""

    name: str
    scenario: Netperf
    required: float


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
        Case("TCP, 1 Gbit/s", tcp_gigabit(), 0.12),
        Case("UDP, 100 Mbit/s", fast_ethernet("UDP_STREAM"), 0.15),
    ]
