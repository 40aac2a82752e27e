"""Linux's pktgen: how many packets per second processors can send, and what limits them.

Each core repeatedly hands the same packet to its own queue, bypassing the protocols. When the transmit ring is full, it
waits until an interrupt makes the driver clean sent packets, which pktgen calls idle time. Source: Linux,
Documentation/networking/pktgen, and net/core/pktgen.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.machine import InterruptPolicy
from netsim.units import MS, Count, PositiveTime
from netsim.workload.packet_scenario import PacketScenario
from netsim.workload.pktgen import bounds
from netsim.workload.pktgen.run import PktgenRun


class Pktgen(PacketScenario):
    """`cores` send frames of `frame` bytes as fast as they can, with a doorbell for each `burst` of them. The
    throughput counts all packets sent.

    Positional arguments: frame, cores.
    """

    positional: ClassVar[tuple[str, ...]] = ("frame", "cores")

    burst: Count = 1
    duration: PositiveTime = 100 * MS

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, frame: Any = ..., cores: Any = ..., **keys: Any) -> None: ...

    @property
    def label(self) -> str:
        return "pktgen"

    def rule(self) -> InterruptPolicy:
        """See PacketScenario."""
        return self.driver.sent_moderation.rule(self.link.rate, self.kernel.jiffy)

    @property
    def packet_time(self) -> int:
        """The time (ps) of a packet, including its share of a doorbell."""
        return self.server.time(self.driver.tx_cycles + self.driver.doorbell_cycles / self.burst)

    @property
    def clean_time(self) -> int:
        """The time (ps) to clean a packet."""
        return self.server.time(self.driver.clean_cycles)

    @property
    def link_times(self) -> tuple[int, int]:
        """The times (ps) of the link to the host for a packet, upstream and downstream."""
        adapter, pcie, frame, burst = self.adapter, self.pcie, self.frame, self.burst
        most = self.server.root_complex.longest(pcie)
        return adapter.tx_upstream(pcie, frame, burst), adapter.tx_downstream(pcie, frame, burst, most)

    @property
    def service_time(self) -> int:
        """The shortest time (ps) from one packet of a queue to the next: queues share the adapter, its wire and its
        link to the host equally."""
        shared = max(self.link.frame_time(self.frame), *self.link_times, self.adapter.tx_packet_time)
        return max(shared * self.cores, self.adapter.tx_queue_packet_time)

    @property
    def latency(self) -> int:
        """The time (ps) from a doorbell until the packet is known to be sent, apart from its time on the wire: the
        descriptor and then the data are read, the adapter sends, and the completion entry is written."""
        up, down = self.link_times
        memory = self.server.root_complex
        reads = 2 * memory.answer_time(cached=True, remote=False)
        return self.adapter.latency + reads + memory.visible_time(remote=False) + up + down

    def bounds(self) -> Bounds:
        return Bounds(bounds.demand(self), 1, self.unit)

    def build(self, env: Environment) -> PktgenRun:
        return PktgenRun(env, self)
