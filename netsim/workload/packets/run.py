"""A host that receives from a packet generator, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import PCIE_DOWNSTREAM, PCIE_UPSTREAM, RECEIVER, TRANSMITTER, TX_RING
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.ethernet.pause_spec import PauseSpec, pause_way
from netsim.machine import NapiCore, PollCosts, PollLimits
from netsim.nic import (
    FrameArrivals,
    FrameTimes,
    HostLink,
    QueueEngine,
    ReceiveQueue,
    TransmitPort,
    TransmitRing,
)
from netsim.nic.paused_port import PausedArrivals, PausedPort, PausedSender, PauseTimes, PortLink, SenderTimes
from netsim.workload.packet_run import PacketRun
from netsim.workload.packet_scenario import HOST

if TYPE_CHECKING:
    from netsim.workload.packets.tool import Packets

RING = DropPlace(HOST, "receive ring")
SENT = DropPlace(HOST, TX_RING, Resource(HOST, TRANSMITTER))


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
        self.fifo = fifo(test)
        self.cores = [
            self._core(adapter * test.queues + number, places, link)
            for adapter, link in enumerate(self.links)
            for number, places in enumerate(test.places)
        ]
        self.rings: list[TransmitRing] = []  # those of each adapter in turn, if packets are forwarded
        if test.action.forwards:
            self._forward()
        if self.port is not None:
            self.port.queues = [one.queue for one in self.cores]

    def _arrivals(self, number: int, places: list[int]) -> FrameTimes:
        test = self.test
        due = FrameArrivals(places, test.round, test.rate, test.first_arrival, test.most)
        return due if self.port is None else PausedArrivals(self.port, number, due)

    def _core(self, number: int, places: list[int], link: HostLink) -> NapiCore:
        test, ring = self.test, self.test.driver.rx_ring
        latency, size = test.latency + test.remote_time(number), test.frame - FCS
        queue = ReceiveQueue(self._arrivals(number, places), link, ring, latency)
        each = limits(test, number), costs(test, number), test.driver.returns()
        return self.env.part(NapiCore)(self.env, queue, ring, size, test.rule(), *each)

    def _forward(self) -> None:
        """The queues of an adapter share the port on which packets leave again."""
        test, calendar = self.test, self.env.calendar
        ports = [TransmitPort(calendar, test.send_time, test.fetch_latency, 0) for _ in self.links]
        for number, core in enumerate(self.cores):
            engine = QueueEngine(test.adapter.tx_queue_packet_time)
            core.output = TransmitRing(calendar, ports[number // test.queues], engine, test.driver.room)
            self.rings.append(core.output)

    @property
    def delivered(self) -> int:
        return self.sent(self.rings) if self.rings else super().delivered

    def sent(self, rings: list[TransmitRing]) -> int:
        """The number of packets that have left by these rings."""
        return sum([one.sent(self.env.now) for one in rings])

    def shares(self, on_wire: int, moved: int) -> dict[str, Any]:
        """See PacketRun."""
        found = super().shares(on_wire, moved)
        found["occupied"] |= self.engines(moved, self.rings, None)
        return found

    def engines(self, moved: int, rings: list[TransmitRing], number: int | None) -> dict[Resource, int]:
        """The busy times (ps) of an adapter's two halves, for `moved` packets received, and those that have left by
        its `rings`."""
        adapter = self.test.adapter
        found = {Resource(HOST, RECEIVER, number): moved * adapter.rx_packet_time}
        if rings:
            found[Resource(HOST, TRANSMITTER, number)] = self.sent(rings) * int(adapter.tx_apart(len(self.test.used)))
        return found

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
            drops={RING: sum(one.dropped_by_ring for one in queues), self.fifo: dropped}
            | ({SENT: sum(one.dropped for one in self.rings)} if self.rings else {}),
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
        """Check that every packet that arrived was handled, dropped or waits, that each descriptor is the adapter's,
        holds a packet, or has yet to be returned, that polls bring no more than their weight, and that no more packets
        wait to be sent than have a descriptor. Raises ConservationError."""
        super().audit()
        if self.port is not None and not self.port.audit():
            raise ConservationError(f"{self.port.sender.sent} packets were sent, {self.port.came} came")
        ring = self.test.driver.rx_ring
        for one in self.cores:
            queue = one.queue
            known = queue.taken + queue.dropped_by_ring + queue.dropped_by_link + queue.waiting
            if known != queue.arrived:
                raise ConservationError(f"{queue.arrived} packets came, {known} are accounted for")
            if queue.posted + queue.waiting + (owed := one.returns.owed) != ring:
                text = f"{queue.posted} at the adapter, {queue.waiting} with packets, {owed} to be returned"
                raise ConservationError(f"{text}; the ring has {ring}")
            if not 0 <= queue.taken - one.delivered <= self.test.kernel.weight:
                raise ConservationError(f"{queue.taken} packets were taken, {one.delivered} were brought by polls")
            if (output := one.output) is not None:
                self._audit_sent(one.delivered, output)

    def _audit_sent(self, handled: int, output: TransmitRing) -> None:
        waiting, room = output.handed - output.sent(self.env.now), self.test.driver.room
        if output.handed + output.dropped != handled or not 0 <= waiting <= room:
            text = f"{output.handed} were handed over, {output.dropped} dropped, {waiting} wait in a ring of {room}"
            raise ConservationError(f"{handled} packets were handled, {text}")

    def waiting_for(self) -> str:
        came = sum(one.queue.arrived_by(self.env.now) for one in self.cores)
        late = "" if self.test.action.polls else self.unannounced("driver.moderation")
        packets, were = ("packet" if came == 1 else "packets"), ("was" if self.delivered == 1 else "were")
        return f"{came} {packets} came, {self.delivered} {were} dealt with{late}"


def fifo(test: Packets) -> DropPlace:
    """The adapter's FIFO, and what keeps packets there: the slowest part after it."""
    up, down = test.link_times
    times = {PCIE_UPSTREAM: up, PCIE_DOWNSTREAM: down, RECEIVER: test.adapter.rx_packet_time}
    return DropPlace(HOST, "adapter's FIFO", Resource(HOST, max(times, key=lambda kind: times[kind])))


def paused_port(test: Packets, pause: PauseSpec) -> PausedPort:
    """An adapter that requests pauses, and the generator that obeys them."""
    link, frame = test.link, test.frame
    sender = SenderTimes(link.sending_time(frame), link.frame_time(frame), link.delay, test.rate, test.most)
    times = PauseTimes(pause.time(link), pause_way(link), pause.response_time(link), *test.pause_frames)
    return PausedPort(PausedSender(sender), times, test.places, test.round, test.room, max(1, test.service_time))


def limits(test: Packets, core: int) -> PollLimits:
    """The kernel's limits, and the adapter's interrupt policy, on this core."""
    kernel = test.kernel
    rounds = (kernel.jiffies, kernel.restarts, kernel.restart_jiffies, kernel.jiffy)
    found = PollLimits(kernel.weight, kernel.budget, *rounds)
    found.since_first, found.step = test.adapter.throttle == "since-first", test.adapter.interval_step
    found.message, found.on_link = test.message_time + test.remote_time(core), test.message_on_link
    found.polls = test.action.polls
    return found


def costs(test: Packets, core: int) -> PollCosts:
    """The costs of each step on this core, with the share of packets no longer in the cache of the adapter's node."""
    server, cache = test.server, test.server.cache
    thread, brought = server.time(test.kernel.thread_cycles), server.time(test.action.poll_cycles)
    interrupt = server.idle_exit + test.interrupt_time  # nothing else runs on its processor
    found = PollCosts(interrupt, test.poll_time, brought, test.packet_time(core), thread)
    if test.action.reads:
        stride = test.driver.stride(test.action.in_driver and not test.action.polls, test.frame - FCS)
        found.miss = cache.miss_time
        found.lost = round(cache.miss_time * cache.lost(len(test.busy) * test.driver.rx_ring, stride))
        found.kept = cache.dma_buffers(stride) // len(test.busy)
    return found
