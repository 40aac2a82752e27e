"""A host that receives what a packet generator sends, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import PCIE_UPSTREAM
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import NapiCore, PollCosts, PollLimits
from netsim.nic import FrameArrivals, HostLink, ReceiveQueue
from netsim.workload.packet_run import PacketRun
from netsim.workload.packet_scenario import HOST

if TYPE_CHECKING:
    from netsim.workload.packets.tool import Packets

RING = DropPlace(HOST, "receive ring")
FIFO = DropPlace(HOST, "adapter's FIFO", Resource(HOST, PCIE_UPSTREAM))


class PacketsRun(PacketRun):
    """Processors that receive, each from its queue."""

    cores: list[NapiCore]

    def __init__(self, env: Environment, test: Packets) -> None:
        super().__init__(env, test, test.link_times)
        self.test = test
        self.link = HostLink(max(1, test.service_time), test.adapter.fifo // test.frame)
        self.cores = [self._core(places) for places in test.places]

    def _core(self, places: list[int]) -> NapiCore:
        test, ring = self.test, self.test.driver.rx_ring
        flows, most = sum(map(len, test.places)), -1 if test.burst is None else test.burst
        arrivals = FrameArrivals(places, flows, test.rate, test.first_arrival, most)
        queue = ReceiveQueue(arrivals, self.link, ring, test.latency)
        size = test.frame - FCS
        return self.env.part(NapiCore)(self.env, queue, ring, size, test.rule(), limits(test), costs(test))

    def accounts(self) -> Accounts:
        now, queues = self.env.now, [one.queue for one in self.cores]
        arrived = sum(one.arrived for one in queues)
        stayed, taken = (sum(getattr(one, name) for one in queues) for name in ("stayed", "taken"))
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            **self.shares(arrived, self.link.moved(now)),
            drops={RING: sum(one.dropped_by_ring for one in queues), FIFO: sum(one.dropped_by_link for one in queues)},
            counts={
                "events": self.env.events,
                "interrupts": self.interrupts,
                "polls": sum(one.polls for one in self.cores),
                "time squeezes": sum(one.squeezed for one in self.cores),
                "ksoftirqd": sum(one.threads for one in self.cores),
            },
            ended={"packet": taken},
            stays={"packet": stayed},
            under_way=stayed,
        )

    @property
    def longest(self) -> int:
        """ps that the packet took that took longest."""
        return max(one.queue.longest for one in self.cores)

    def audit(self) -> None:
        """What came was taken, dropped or waits; each descriptor is the adapter's, has a packet, or is about to be
        given back."""
        super().audit()
        ring = self.test.driver.rx_ring
        for one in self.cores:
            queue = one.queue
            known = queue.taken + queue.dropped_by_ring + queue.dropped_by_link + queue.waiting
            if known != queue.arrived:
                raise ConservationError(f"{queue.arrived} packets came, {known} are accounted for")
            if queue.posted + queue.waiting + queue.taken - one.delivered != ring:
                text = f"{queue.posted} at the adapter, {queue.waiting} with packets"
                raise ConservationError(f"{text}, {queue.taken - one.delivered} in a poll, the ring has {ring}")

    def waiting_for(self) -> str:
        return f"{sum(one.queue.arrived for one in self.cores)} packets came, {self.delivered} were dealt with"


def limits(test: Packets) -> PollLimits:
    """The kernel's, and the adapter's way with interrupts."""
    kernel = test.kernel
    found = PollLimits(kernel.weight, kernel.budget, kernel.softirq_time, kernel.restarts, kernel.restart_time)
    found.since_first, found.step = test.adapter.throttle == "since-first", test.adapter.interval_step
    found.message, found.on_link = test.message_time, test.adapter.interrupt_time(test.pcie)
    found.polls = test.action.polls
    return found


def costs(test: Packets) -> PollCosts:
    """What each thing takes, with the share of packets that the cache has lost."""
    server, cache = test.server, test.server.cache
    thread, brought = server.time(test.kernel.thread_cycles), server.time(test.action.poll_cycles)
    found = PollCosts(test.interrupt_time, test.poll_time, brought, test.packet_time, thread)
    if test.action.reads:
        stride = test.driver.stride(test.action.in_driver)
        found.miss = cache.miss_time
        found.lost = round(cache.miss_time * cache.lost(test.cores * test.driver.rx_ring, stride))
        found.kept = cache.dma_buffers(stride) // test.cores
    return found
