"""The closed form of requests: the demand of each on all resources, and the stages of a lone one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import (
    CABLE,
    CLIENTS,
    PCIE_DOWNSTREAM,
    PCIE_UPSTREAM,
    PROCESS_CORE,
    PROCESSORS,
    RECEIVER,
    TRANSMITTER,
)

if TYPE_CHECKING:
    from netsim.stack import RequestHostSpec
    from netsim.workload.requests.tool import Requests


def demand(test: Requests) -> dict[Resource, float]:
    """The time (ps) of each resource for one transaction. "clients" is the least time of a transaction, or the interval
    between interrupts, divided by the number under way."""
    found: dict[Resource, float] = {}
    sizes = test.sizes
    for (name, host), costs, sent, taken in zip(test.hosts.items(), test.costs, sizes, sizes[::-1], strict=True):
        found[Resource(name, PROCESSORS)] = costs.work / host.cores
        if host.cores > 1:
            found[Resource(name, PROCESS_CORE)] = costs.process
        up, down = _link(host, sent, taken)
        found[Resource(name, PCIE_UPSTREAM)] = up
        found[Resource(name, PCIE_DOWNSTREAM)] = down
        found[Resource(name, TRANSMITTER)] = host.adapter.tx_apart(1)
        found[Resource(name, RECEIVER)] = host.adapter.rx_packet_time
        found[Resource(name, CABLE)] = test.link.frame_time(taken)
    least = max(shortest(test), _interval(test))
    return found | {Resource("", CLIENTS): least / test.outstanding}


def _link(host: RequestHostSpec, sent: int, taken: int) -> tuple[int, int]:
    """The times (ps) of the link to the host for one message each way, upstream and downstream."""
    pcie, nic = host.pcie, host.adapter
    reads = [one for what in nic.tx_reads(pcie, sent, host.longest) for one in what]
    writes = [wire for _, wire in nic.tx_entry(pcie) + nic.rx_writes(pcie, taken)]
    up = len(reads) * pcie.time(pcie.request_bytes) + sum(map(pcie.time, writes))
    register = pcie.time(nic.register_bytes(pcie))
    return up, register + sum(pcie.time(wire) for completions in reads for _, wire in completions)


def alone(test: Requests) -> float:
    """The time (ps) of a lone transaction, or its hosts' interval between interrupts, divided by the number under way.
    """
    intervals = [host.interval(test.link.rate) for host in test.hosts.values()]
    return max(sum(stages(test)), *intervals) / test.outstanding


def shortest(test: Requests) -> int:
    """The time (ps) of a lone transaction. If several are under way, the least time of each: others interrupt, begin to
    poll, and wake the processes."""
    lone, rate = sum(stages(test)), test.link.rate
    if test.outstanding == 1:
        return lone
    return lone - sum(costs.spared for costs in test.costs) - sum(host.told(rate) for host in test.hosts.values())


def _interval(test: Requests) -> int:
    """The shortest interval (ps) from one interrupt of a host to the next, if an interrupt can't take two messages of
    one transaction: polls for all of them end before the second message could be there."""
    found, least = 0, shortest(test)
    for host, costs in zip(test.hosts.values(), test.costs, strict=True):
        if test.outstanding * costs.polled < least - costs.up:
            found = max(found, host.interval(test.link.rate))
    return found


def stages(test: Requests) -> list[int]:
    """The times (ps) of each stage of a lone transaction's request and then its response. The time that an interrupt
    waits after the one before is left out."""
    client, server = test.costs
    request, response = test.sizes
    there = _between(test, test.client, test.server, request)
    back = _between(test, test.server, test.client, response)
    return [*client.sending, *there, *server.taking, *server.sending, *back, *client.taking]


def _between(test: Requests, sender: RequestHostSpec, receiver: RequestHostSpec, size: int) -> list[int]:
    """The times (ps) of the stages from the doorbell to the interrupt."""
    link = test.link
    wire = link.sending_time(size) + test.cable
    return [_fetched(sender, size), wire, test.switch or 0, _stored(receiver, size), receiver.told(link.rate)]


def _fetched(host: RequestHostSpec, size: int) -> int:
    """The time (ps) of a doorbell and the successive reads that it starts."""
    pcie, answer = host.pcie, host.answer_time
    now = pcie.time(host.adapter.register_bytes(pcie)) + host.written_time
    request = pcie.time(pcie.request_bytes)
    for reads in host.adapter.tx_reads(pcie, size, host.longest):
        asked, there = now, 0
        for completions in reads:
            asked += request
            there = max(there, asked + answer) + sum(pcie.time(wire) for _, wire in completions)
        now = there
    return now + host.adapter.latency


def _stored(host: RequestHostSpec, size: int) -> int:
    writes = sum(host.pcie.time(wire) for _, wire in host.adapter.rx_writes(host.pcie, size))
    return host.adapter.latency + writes + host.written_time
