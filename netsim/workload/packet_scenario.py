"""The common part of packet tools: a current host with one adapter, and the cost of each packet."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from netsim.bus import PcieSpec
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec
from netsim.ethernet.frame import MIN_FRAME
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import InterruptPolicy, NapiSpec, QueueDriverSpec, ServerSpec
from netsim.nic import QueuedNicSpec
from netsim.scenario import Scenario
from netsim.units import MPPS, MS, Count, Fraction, FrameSize, Parts, PositiveTime, RateUnit
from netsim.workload.intact import check_exact, check_intact

HOST, SWITCH, RECEIVER = "host", "switch", "receiver"  # names in accounts; the last takes what a host sends


class PacketScenario(Scenario):
    """`cores` of a `server` work, each with its own queue of an `adapter` in a slot `pcie`, under a `driver` and a
    `kernel`. All frames have `frame` bytes (with FCS) and cross the `link`."""

    frame: FrameSize = MIN_FRAME
    cores: Parts = 1
    server: ServerSpec
    pcie: PcieSpec
    adapter: QueuedNicSpec
    driver: QueueDriverSpec
    kernel: NapiSpec
    link: LinkSpec
    duration: PositiveTime = 20 * MS
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """The server has that many cores, the adapter that many queues, and each ring enough descriptors. The frames
        fit the link and the adapter."""
        if self.cores > (most := self.server.cores):
            raise ScenarioError(f"{self.cores} are more than the server has ({most}: server.cores)", address="cores")
        most, name = self.driver.most_queues(self.adapter)
        if self.queues > most:
            raise ScenarioError(self._too_many(most, name), address="cores")
        if self.frame > self.link.max_frame:
            text = f"{self.frame} bytes are more than the link accepts; allowed: up to {self.link.max_frame}"
            raise ScenarioError(text, address="frame")
        if self.frame > (longest := frame_size(self.adapter.max_mtu)):
            text = f"{self.frame} bytes are more than the adapter accepts; allowed: up to {longest}"
            raise ScenarioError(text, address="frame")
        if self.link.rate > self.adapter.rate:
            text = f"{self.link.rate} bit/s are more than the adapter supports ({self.adapter.rate})"
            raise ScenarioError(text, address="link.rate")
        self.driver.check_adapter(self.adapter)
        check_intact(self.link)
        check_exact(self.link)
        return self

    def _too_many(self, most: int, name: str) -> str:
        """What is wrong if an adapter has at most that many queues, as the key `name` says."""
        more = f"more than the {name.partition('.')[0]} has queues ({most}: {name})"
        if self.devices == 1:
            return f"{self.cores} are {more}"
        return f"{self.cores} are {self.queues} for each adapter, {more}; allowed: up to {most * self.devices}"

    @property
    def devices(self) -> int:
        """The number of adapters."""
        return 1

    @property
    def queues(self) -> int:
        """The number of queues of each adapter."""
        return max(1, self.cores // self.devices)

    @property
    def unit(self) -> RateUnit:
        return MPPS

    def rule(self) -> InterruptPolicy:
        """The policy that sets the interval between one queue's interrupts."""
        return self.driver.moderation.rule(self.link.rate, self.kernel.jiffy)

    @property
    def interrupt_time(self) -> int:
        """The time (ps) of an interrupt, with the softirq that it begins."""
        return self.server.time(self.kernel.interrupt_cycles + self.driver.interrupt_cycles)

    @property
    def poll_time(self) -> int:
        """The time (ps) of a poll that finds nothing."""
        return self.server.time(self.driver.poll_cycles)

    @property
    def message_time(self) -> int:
        """The time (ps) from the adapter's request for an interrupt until the processor receives it: a write to the
        root complex."""
        return self.adapter.interrupt_time(self.pcie) + self.server.root_complex.write_time
