"""The closed form of a device's transfers: the demand of each on the link, the engine and its tags, and the time of a
lone transfer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from netsim.accounts import Resource
from netsim.accounts.resource import (
    DMA_ENGINE,
    DMA_TAGS,
    IOMMU_WALKERS,
    LATENCY,
    NONPOSTED_HEADERS,
    PCIE_DOWNSTREAM,
    PCIE_UPSTREAM,
    POSTED_DATA,
    POSTED_HEADERS,
)
from netsim.bus.credits_spec import data_credits

if TYPE_CHECKING:
    from netsim.bus import CreditsSpec, PcieSpec
    from netsim.workload.dma.tool import Dma


class LinkTimes(NamedTuple):
    """The times (ps) of a link for one command: in total `up` and `down`, and for each `request`."""

    up: int
    down: int
    request: int


def demand(test: Dma) -> dict[Resource, float]:
    """The time (ps) of each resource for one command. The latency of a lone command is divided by the number of
    commands under way, and the time for which requests hold tags by the number of tags."""
    times = link(test, test.pcie)
    held = times.down + len(test.reads) * (times.request + test.answer_time)
    found = {
        PCIE_UPSTREAM: times.up,
        PCIE_DOWNSTREAM: times.down,
        DMA_ENGINE: taking(test),
        DMA_TAGS: held / test.engine.tags,
        LATENCY: alone(test) / test.under_way,
    }
    if test.credits is not None:
        found |= credits(test, test.credits, test.pcie.time)
    if test.iommu is not None:
        found[IOMMU_WALKERS] = test.missed * test.iommu.walk_time / test.iommu.walkers
    return {Resource("", kind): time for kind, time in found.items()}


def credits(test: Dma, given: CreditsSpec, crossing: Callable[[int], int]) -> dict[str, float]:
    """The time (ps) for which the packets of a command hold credits, counted from their first bit, divided by the
    number of credits. `crossing` gives the time until a packet with these bytes has left the receiver's buffer."""
    back = given.return_time
    holds = [(nbytes, crossing(wire) + back) for nbytes, wire in test.writes]
    request = crossing(test.pcie.request_bytes) + back
    return {
        POSTED_HEADERS: sum(time for _, time in holds) / given.posted_headers,
        POSTED_DATA: sum(data_credits(nbytes) * time for nbytes, time in holds) / given.posted_data,
        NONPOSTED_HEADERS: len(test.reads) * request / given.nonposted_headers,
    }


def link(test: Dma, pcie: PcieSpec) -> LinkTimes:
    """The times of a link that the device's packets cross."""
    time, reads = pcie.time, test.reads
    request = time(test.pcie.request_bytes)
    up = sum(time(wire) for _, wire in test.writes) + len(reads) * request
    return LinkTimes(up, sum(time(wire) for completions in reads for _, wire in completions), request)


def taking(test: Dma) -> int:
    """The time (ps) that the engine takes to accept a command."""
    write = 0 if test.operation == "read" else test.engine.write_interval
    return write + (0 if test.operation == "write" else test.engine.read_interval)


def alone(test: Dma) -> int:
    """The latency (ps) of a lone command with no other traffic and enough tags."""
    pcie, engine = test.pcie, test.engine
    now, up, visible = taking(test) + engine.overhead, 0, 0
    for nbytes, wire in test.writes:
        now += engine.move_time(nbytes)
        up = max(up, now) + pcie.time(wire)
        visible = up + test.visible_time
    moved, down, request = 0, 0, pcie.time(pcie.request_bytes)
    for completions in test.reads:
        up = max(up, now) + request
        start = max(up, visible) + test.answer_time
        for nbytes, wire in completions:
            down = max(down, start) + pcie.time(wire)
            moved = max(moved, down) + engine.move_time(nbytes)
    return moved if test.operation != "write" else up
