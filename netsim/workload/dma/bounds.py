"""The closed form of a device's transfers: what each needs of the link, the engine and its tags, and how long a lone
one takes."""

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
    """ps of a link that a command takes: all of it `up` and `down`, and each `request`."""

    up: int
    down: int
    request: int


def demand(test: Dma) -> dict[Resource, float]:
    """ps that each resource needs for one command. Commands that are under way together share the time of a lone one,
    and requests the time for which each holds a tag."""
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
    if test.iommu is not None and test.access == "sequential":
        found[IOMMU_WALKERS] = test.missed * test.iommu.walk_time / test.iommu.walkers
    return {Resource("", kind): time for kind, time in found.items()}


def credits(test: Dma, given: CreditsSpec, crossing: Callable[[int], int]) -> dict[str, float]:
    """ps for which packets hold credits, from their first bit on, by how many there are; `crossing` is how long one
    takes, by its bytes, until it has left the receiver's buffer."""
    back = given.return_time
    holds = [(nbytes, crossing(wire) + back) for nbytes, wire in test.writes]
    request = crossing(test.pcie.request_bytes) + back
    return {
        POSTED_HEADERS: sum(time for _, time in holds) / given.posted_headers,
        POSTED_DATA: sum(data_credits(nbytes) * time for nbytes, time in holds) / given.posted_data,
        NONPOSTED_HEADERS: len(test.reads) * request / given.nonposted_headers,
    }


def link(test: Dma, pcie: PcieSpec) -> LinkTimes:
    """Of a link that the device's packets cross."""
    time, reads = pcie.time, test.reads
    request = time(test.pcie.request_bytes)
    up = sum(time(wire) for _, wire in test.writes) + len(reads) * request
    return LinkTimes(up, sum(time(wire) for completions in reads for _, wire in completions), request)


def taking(test: Dma) -> int:
    """ps in which the engine takes a command."""
    write = 0 if test.operation == "read" else test.engine.write_interval
    return write + (0 if test.operation == "write" else test.engine.read_interval)


def alone(test: Dma) -> int:
    """ps that a command takes that has everything to itself, and as many tags as it wants."""
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
