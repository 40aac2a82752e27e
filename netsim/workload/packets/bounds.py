"""The closed form of a host that receives: the demand of a packet on the wire, the link to memory and the
processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE, OFFERED, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSORS, RECEIVER, TRANSMITTER
from netsim.workload.packet_scenario import HOST, SWITCH

if TYPE_CHECKING:
    from netsim.workload.packets.tool import Packets


def demand(test: Packets) -> dict[Resource, float]:
    """The time (ps) of each resource for one packet, with its data in the cache and packets shared equally by the
    adapters and their queues, or by those with flows. Polls are full, and interrupts are too rare to count."""
    up, down = test.link_times
    polls = (test.poll_time + test.server.time(test.action.poll_cycles)) / test.kernel.weight
    found = {
        Resource("", OFFERED): test.spacing / test.adapters,
        Resource(HOST, PROCESSORS): _together([test.packet_time(core) + polls for core in test.busy]),
    }
    own: dict[str, float] = {CABLE: test.link.frame_time(test.frame), PCIE_UPSTREAM: up, PCIE_DOWNSTREAM: down,
                             RECEIVER: test.adapter.rx_packet_time}  # fmt: skip
    if test.action.forwards:
        own[TRANSMITTER] = test.adapter.tx_apart(len(test.used))
    for number in range(test.adapters):
        given = number if test.adapters > 1 else None
        found |= {Resource(HOST, kind, given): time / test.adapters for kind, time in own.items()}
    if test.switch is not None:
        shared = zip((PCIE_UPSTREAM, PCIE_DOWNSTREAM), test.times_on(test.switch.uplink), strict=True)
        found |= {Resource(SWITCH, kind): time for kind, time in shared}
    return found


def _together(times: list[float]) -> float:
    """The time (ps) from one packet to the next of cores that take these times, each as fast as it can."""
    if min(times) == max(times):
        return times[0] / len(times)
    if not min(times):
        return 0.0
    return 1 / sum(1 / time for time in times)
