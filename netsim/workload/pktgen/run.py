"""pktgen in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSOR, TX_RING
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import PacketSender, SenderCosts, ThrottleWay
from netsim.nic import TransmitQueue
from netsim.scenario import StreamRun
from netsim.units import PS_PER_S
from netsim.workload.packet_scenario import HOST

if TYPE_CHECKING:
    from netsim.workload.pktgen.tool import Pktgen


class PktgenRun(StreamRun):
    """Processors that send, each with a queue."""

    def __init__(self, env: Environment, test: Pktgen) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self._up, self._down = test.link_times
        self._wire = test.link.frame_time(test.frame)
        self._message = test.adapter.interrupt_time(test.pcie)
        costs = SenderCosts(
            max(1, test.packet_time), test.clean_time, test.interrupt_time, test.poll_time, test.driver.tx_work
        )
        way = ThrottleWay(test.adapter.throttle == "since-first", test.adapter.interval_step, test.message_time)
        self.senders = [self._sender(costs, way) for _ in range(test.cores)]

    def _sender(self, costs: SenderCosts, way: ThrottleWay) -> PacketSender:
        test = self.test
        queue = TransmitQueue(max(1, test.service_time), test.latency)
        rule, size = test.rule(), test.frame - FCS
        return self.env.part(PacketSender)(self.env, queue, test.driver.room, size, rule, way, costs)

    def start(self) -> None:
        """All begin at once."""
        for one in self.senders:
            one.start()

    @property
    def delivered(self) -> int:
        return sum(one.delivered for one in self.senders)

    def accounts(self) -> Accounts:
        now, sent = self.env.now, sum(one.queue.sent(self.env.now) for one in self.senders)
        works = [one.work(now) for one in self.senders]
        names = [Resource(HOST, PROCESSOR, number) for number in range(len(works))]
        interrupts = sum(one.interrupts for one in self.senders)
        ring = sum(one.ring_time for one in self.senders) // len(self.senders)
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            busy=dict(zip(names, works, strict=True)),
            idle={name: now - sum(work.values()) for name, work in zip(names, works, strict=True)},
            occupied={
                Resource(HOST, CABLE): sent * self._wire,
                Resource(HOST, PCIE_UPSTREAM): sent * self._up + interrupts * self._message,
                Resource(HOST, PCIE_DOWNSTREAM): sent * self._down,
                Resource(HOST, TX_RING): ring,
            },
            frames={Resource(HOST, CABLE): sent},
            counts={
                "events": self.env.events,
                "interrupts": interrupts,
                "clock ticks": len(self.senders) * now * self.test.kernel.hz // PS_PER_S,
                "polls": sum(one.polls for one in self.senders),
            },
        )

    def audit(self) -> None:
        """What was handed over was cleaned, or is in a ring, which holds no more than it has room for; and no processor
        has worked for longer than it was there."""
        now = self.env.now
        for one in self.senders:
            queue = one.queue
            if not 0 <= queue.unclean <= self.test.driver.room:
                raise ConservationError(f"{queue.unclean} descriptors in use, the ring has {self.test.driver.room}")
            if queue.waiting != queue.unclean:
                raise ConservationError(f"{queue.unclean} descriptors in use, {queue.waiting} packets in the adapter")
            if (busy := sum(one.work(now).values())) > now:
                raise ConservationError(f"a processor was busy for {busy} of {now} ps")

    def waiting_for(self) -> str:
        return f"{sum(one.queue.unclean for one in self.senders)} packets were sent and not cleaned"
