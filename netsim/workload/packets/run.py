"""A host that receives from a packet generator, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import PCIE_UPSTREAM
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.ethernet.pause_spec import PauseSpec, pause_way
from netsim.machine import NapiCore, PollCosts, PollLimits
from netsim.nic import FrameArrivals, FrameTimes, HostLink, ReceiveQueue
from netsim.nic.paused_port import PausedArrivals, PausedPort, PausedSender, PauseTimes, PortLink, SenderTimes
from netsim.workload.packet_run import PacketRun
from netsim.workload.packet_scenario import HOST

if TYPE_CHECKING:
    from netsim.workload.packets.tool import Packets

RING = DropPlace(HOST, "receive ring")
FIFO = DropPlace(HOST, "adapter's FIFO", Resource(HOST, PCIE_UPSTREAM))


class PacketsRun(PacketRun):
    """Processors that each receive from a queue."""

    cores: list[NapiCore]

    def __init__(self, env: Environment, test: Packets) -> None:
        super().__init__(env, test, test.link_times)
        self.test = test
        self.port = None if test.pause is None else paused_port(test, test.pause)
        count = test.adapters
        self.links = [HostLink(max(1, test.service_time), test.room) for _ in range(count)]
        if self.port is not None:
            self.links = [PortLink(self.port)]
        self.fifo = FIFO
        self.cores = [
            self._core(number, places, link) for link in self.links for number, places in enumerate(test.places)
        ]
        if self.port is not None:
            self.port.queues = [one.queue for one in self.cores]

    def _arrivals(self, number: int, places: list[int]) -> FrameTimes:
        test = self.test
        due = FrameArrivals(places, test.round, test.rate, test.first_arrival, test.most)
        return due if self.port is None else PausedArrivals(self.port, number, due)

    def _core(self, number: int, places: list[int], link: HostLink) -> NapiCore:
        test, ring = self.test, self.test.driver.rx_ring
        queue = ReceiveQueue(self._arrivals(number, places), link, ring, test.latency)
        size = test.frame - FCS
        return self.env.part(NapiCore)(self.env, queue, ring, size, test.rule(), limits(test), costs(test))

    def accounts(self) -> Accounts:
        now, queues = self.env.now, [one.queue for one in self.cores]
        arrived = sum(one.arrived for one in queues)
        stayed, taken = (sum(getattr(one, name) for one in queues) for name in ("stayed", "taken"))
        moved, dropped, pauses = self.moved(now), sum(one.dropped_by_link for one in queues), {}
        if (port := self.port) is not None:
            arrived, dropped = port.came, port.dropped
            stayed += port.waited
            pauses = {"pause frames": port.asked}
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            **self.shares(arrived, moved),
            drops={RING: sum(one.dropped_by_ring for one in queues), self.fifo: dropped},
            counts={
                "events": self.env.events,
                "interrupts": self.interrupts,
                "polls": sum(one.polls for one in self.cores),
                "time squeezes": sum(one.squeezed for one in self.cores),
                "ksoftirqd": sum(one.threads for one in self.cores),
            }
            | pauses,
            ended={"packet": taken},
            stays={"packet": stayed},
            under_way=stayed,
        )

    def moved(self, now: int) -> int:
        """The number of packets that have crossed the links to memory by `now`."""
        return sum([one.moved(now) for one in self.links])

    @property
    def longest(self) -> int:
        """The longest time (ps) that a packet took."""
        return max(one.queue.longest for one in self.cores)

    def audit(self) -> None:
        """Check that every packet that arrived was handled, dropped or waits, and that each descriptor is the
        adapter's, holds a packet, or is about to be returned. Raises ConservationError."""
        super().audit()
        if self.port is not None and not self.port.audit():
            raise ConservationError(f"{self.port.sender.sent} packets were sent, {self.port.came} came")
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


def paused_port(test: Packets, pause: PauseSpec) -> PausedPort:
    """An adapter that requests pauses, and the generator that obeys them."""
    link, frame = test.link, test.frame
    sender = SenderTimes(link.sending_time(frame), link.frame_time(frame), link.delay, test.rate, test.most)
    times = PauseTimes(pause.time(link), pause_way(link), pause.response_time(link), *test.pause_frames)
    return PausedPort(PausedSender(sender), times, test.places, test.round, test.room, max(1, test.service_time))


def limits(test: Packets) -> PollLimits:
    """The kernel's limits, and the adapter's interrupt policy."""
    kernel = test.kernel
    found = PollLimits(kernel.weight, kernel.budget, kernel.softirq_time, kernel.restarts, kernel.restart_time)
    found.since_first, found.step = test.adapter.throttle == "since-first", test.adapter.interval_step
    found.message, found.on_link = test.message_time, test.message_on_link
    found.polls = test.action.polls
    return found


def costs(test: Packets) -> PollCosts:
    """The costs of each step, with the share of packets no longer in the cache."""
    server, cache = test.server, test.server.cache
    thread, brought = server.time(test.kernel.thread_cycles), server.time(test.action.poll_cycles)
    found = PollCosts(test.interrupt_time, test.poll_time, brought, test.packet_time, thread)
    if test.action.reads:
        stride = test.driver.stride(test.action.in_driver)
        found.miss = cache.miss_time
        found.lost = round(cache.miss_time * cache.lost(test.cores * test.driver.rx_ring, stride))
        found.kept = cache.dma_buffers(stride) // test.cores
    return found
