"""pktgen in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, TRANSMITTER, TX_RING
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import PacketSender, SenderCosts, ThrottleWay
from netsim.nic import TransmitQueue
from netsim.units import PS_PER_S
from netsim.workload.packet_run import PacketRun
from netsim.workload.packet_scenario import HOST, RECEIVER

if TYPE_CHECKING:
    from netsim.workload.pktgen.tool import Pktgen


class PktgenRun(PacketRun):
    """Processors that send, each to its own queue."""

    cores: list[PacketSender]
    end = RECEIVER

    def __init__(self, env: Environment, test: Pktgen) -> None:
        super().__init__(env, test, test.link_times)
        self.test = test
        self._engine = int(test.adapter.tx_apart(test.cores))  # ps of the adapter's transmitter for each packet
        costs = SenderCosts(
            max(1, test.packet_time), test.clean_time, test.interrupt_time, test.poll_time, test.driver.tx_work
        )
        way = ThrottleWay(test.adapter.throttle == "since-first", test.adapter.interval_step, test.message_time)
        self.cores = [self._sender(costs, way) for _ in range(test.cores)]

    def _sender(self, costs: SenderCosts, way: ThrottleWay) -> PacketSender:
        test = self.test
        queue = TransmitQueue(max(1, test.service_time), test.latency)
        rule, size = test.rule(), test.frame - FCS
        return self.env.part(PacketSender)(self.env, queue, test.driver.room, size, rule, way, costs)

    def accounts(self) -> Accounts:
        now, sent = self.env.now, sum(one.queue.sent(self.env.now) for one in self.cores)
        shares = self.shares(sent, sent)
        shares["occupied"][Resource(HOST, TRANSMITTER)] = sent * self._engine
        self._add_begun(shares["occupied"])
        shares["occupied"][Resource(HOST, TX_RING)] = sum(one.ring_time for one in self.cores) // len(self.cores)
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            **shares,
            counts={
                "events": self.env.events,
                "interrupts": self.interrupts,
                "clock ticks": len(self.cores) * now * self.test.kernel.hz // PS_PER_S,
                "polls": sum(one.polls for one in self.cores),
            },
        )

    def _add_begun(self, occupied: dict[Resource, int]) -> None:
        """Add the parts of frames under way, or a window between two of them would seem more than full."""
        begun = sum(one.queue.begun(self.env.now) for one in self.cores)
        for end, kind, time in (
            (self.end, CABLE, self._wire), (HOST, PCIE_UPSTREAM, self._up), (HOST, PCIE_DOWNSTREAM, self._down),
            (HOST, TRANSMITTER, self._engine),
        ):  # fmt: skip
            occupied[Resource(end, kind)] += begun * time // self.cores[0].queue.service

    def audit(self) -> None:
        """Check that every packet handed over was cleaned or is in a ring, and that no ring exceeds its size. Raises
        ConservationError."""
        super().audit()
        for one in self.cores:
            queue = one.queue
            if not 0 <= queue.unclean <= self.test.driver.room:
                raise ConservationError(f"{queue.unclean} descriptors in use, the ring has {self.test.driver.room}")
            if queue.waiting != queue.unclean:
                raise ConservationError(f"{queue.unclean} descriptors in use, {queue.waiting} packets in the adapter")

    def waiting_for(self) -> str:
        address = "driver.moderation" if self.test.driver.tx_moderation is None else "driver.tx_moderation"
        return f"sent packets wait to be cleaned{self.unannounced(address)}"
