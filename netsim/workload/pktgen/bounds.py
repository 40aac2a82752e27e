"""The closed form of pktgen: the demand of a packet on processors, the wire, the link to the host and rings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSORS, TRANSMITTER, TX_RING
from netsim.workload.packet_scenario import HOST, RECEIVER

if TYPE_CHECKING:
    from netsim.workload.pktgen.tool import Pktgen


def demand(test: Pktgen) -> dict[Resource, float]:
    """The time (ps) of each resource for one packet. At best a whole ring shares an interrupt, which comes no earlier
    than the policy allows."""
    room, cores = test.driver.room, test.cores
    up, down = test.link_times
    interrupt = test.interrupt_time + test.poll_time
    interval = test.adapter.held(test.driver.sent_moderation.least(test.link.rate))
    found = {
        PROCESSORS: (test.packet_time + test.clean_time + interrupt / room) / cores,
        PCIE_UPSTREAM: up,
        PCIE_DOWNSTREAM: down,
        TRANSMITTER: test.adapter.tx_apart(cores),
        TX_RING: max(interval, interrupt) / room / cores,
    }
    wire = {Resource(RECEIVER, CABLE): test.link.frame_time(test.frame)}
    return wire | {Resource(HOST, kind): time for kind, time in found.items()}

