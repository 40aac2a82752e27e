"""The closed form of devices behind a switch: each has its own link, and all share the uplink."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import (
    DMA_ENGINE,
    DMA_TAGS,
    IOMMU_WALKERS,
    LATENCY,
    PCIE_DOWNSTREAM,
    PCIE_UPSTREAM,
)
from netsim.workload.dma import bounds

if TYPE_CHECKING:
    from netsim.bus import PcieSwitchSpec
    from netsim.workload.dma.tool import Dma

DEVICE, SWITCH = "device", "switch"  # the owner of a link, in accounts


def demand(test: Dma, switch: PcieSwitchSpec) -> dict[Resource, float]:
    """The time (ps) of each resource for one command; all devices issue equal shares of the commands."""
    count = test.devices
    own, shared = bounds.link(test, test.pcie), bounds.link(test, switch.uplink)
    found = {
        Resource(SWITCH, PCIE_UPSTREAM): shared.up,
        Resource(SWITCH, PCIE_DOWNSTREAM): shared.down,
        Resource("", LATENCY): alone(test, switch) / (test.under_way * count),
    }
    if test.credits is not None:
        found |= _named(SWITCH, None, bounds.credits(test, test.credits, switch.uplink.time), 1)
    if test.iommu is not None:
        found[Resource("", IOMMU_WALKERS)] = test.missed * test.iommu.walk_time / test.iommu.walkers
    tags = (own.down + len(test.reads) * (own.request + test.answer_time)) / test.engine.tags
    each = {PCIE_UPSTREAM: own.up, PCIE_DOWNSTREAM: own.down, DMA_ENGINE: bounds.taking(test), DMA_TAGS: tags}
    if switch.credits is not None:
        each |= bounds.credits(test, switch.credits, partial(_crossing, test, switch))
    for number in range(count):
        found |= _named(DEVICE, number, each, count)
    return found


def _named(host: str, number: int | None, times: dict[str, float], count: int) -> dict[Resource, float]:
    return {Resource(host, kind, number): time / count for kind, time in times.items()}


def _crossing(test: Dma, switch: PcieSwitchSpec, wire: int) -> int:
    """The time (ps) from a packet's first bit at the device until its last bit has left the switch."""
    first, second = test.pcie.time(wire), switch.uplink.time(wire)
    return switch.ready(first, first, second) + second


def alone(test: Dma, switch: PcieSwitchSpec) -> int:
    """The latency (ps) of a lone command with no other traffic and enough tags and credits."""
    first, second, engine, ready = test.pcie.time, switch.uplink.time, test.engine, switch.ready
    now, own, up, visible = bounds.taking(test) + engine.overhead, 0, 0, 0
    for nbytes, wire in test.writes:
        now += engine.move_time(nbytes)
        own = max(own, now) + first(wire)
        up = max(up, ready(own, first(wire), second(wire))) + second(wire)
        visible = up + test.visible_time
    moved, down, last, request = 0, 0, 0, test.pcie.request_bytes
    for completions in test.reads:
        own = max(own, now) + first(request)
        up = max(up, ready(own, first(request), second(request))) + second(request)
        start = max(up, visible) + test.answer_time
        for nbytes, wire in completions:
            down = max(down, start) + second(wire)
            last = max(last, ready(down, second(wire), first(wire))) + first(wire)
            moved = max(moved, last) + engine.move_time(nbytes)
    return moved if test.operation != "write" else up
