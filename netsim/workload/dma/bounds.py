"""The closed form of a device's transfers: what each needs of the link, the engine and its tags, and how long a lone
one takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from netsim.bus import CreditsSpec
    from netsim.workload.dma.tool import Dma


def demand(test: Dma) -> dict[Resource, float]:
    """ps that each resource needs for one command. Commands that are under way together share the time of a lone one,
    and requests the time for which each holds a tag."""
    up, down, held = _link(test)
    found = {
        PCIE_UPSTREAM: up,
        PCIE_DOWNSTREAM: down,
        DMA_ENGINE: _taking(test),
        DMA_TAGS: held / test.engine.tags,
        LATENCY: alone(test) / test.under_way,
    }
    if test.credits is not None:
        found |= _credits(test, test.credits)
    if test.iommu is not None and test.access == "sequential":
        found[IOMMU_WALKERS] = test.missed * test.iommu.walk_time / test.iommu.walkers
    return {Resource("", kind): time for kind, time in found.items()}


def _credits(test: Dma, credits: CreditsSpec) -> dict[str, float]:
    """ps for which packets hold credits, from their first bit on, by how many there are."""
    pcie, back = test.pcie, credits.return_time
    holds = [(nbytes, pcie.time(wire) + back) for nbytes, wire in test.writes]
    request = pcie.time(pcie.request_bytes) + back
    return {
        POSTED_HEADERS: sum(time for _, time in holds) / credits.posted_headers,
        POSTED_DATA: sum(data_credits(nbytes) * time for nbytes, time in holds) / credits.posted_data,
        NONPOSTED_HEADERS: len(test.reads) * request / credits.nonposted_headers,
    }


def _link(test: Dma) -> tuple[int, int, int]:
    """ps of both directions, and for which tags are held at least."""
    time = test.pcie.time
    request, reads = time(test.pcie.request_bytes), test.reads
    up = sum(time(wire) for _, wire in test.writes) + len(reads) * request
    down = sum(time(wire) for completions in reads for _, wire in completions)
    return up, down, down + len(reads) * (request + test.answer_time)


def _taking(test: Dma) -> int:
    """ps in which the engine takes a command."""
    write = 0 if test.operation == "read" else test.engine.write_interval
    return write + (0 if test.operation == "write" else test.engine.read_interval)


def alone(test: Dma) -> int:
    """ps that a command takes that has everything to itself, and as many tags as it wants."""
    link, engine = test.pcie, test.engine
    now, up, visible = _taking(test) + engine.overhead, 0, 0
    for nbytes, wire in test.writes:
        now += engine.move_time(nbytes)
        up = max(up, now) + link.time(wire)
        visible = up + test.visible_time
    moved, down, request = 0, 0, link.time(link.request_bytes)
    for completions in test.reads:
        up = max(up, now) + request
        start = max(up, visible) + test.answer_time
        for nbytes, wire in completions:
            down = max(down, start) + link.time(wire)
            moved = max(moved, down) + engine.move_time(nbytes)
    return moved if test.operation != "write" else up
