"""How Linux handles interrupts for packets (NAPI): in what portions, for how long, and at what cost."""

from __future__ import annotations

from netsim.machine.datagram_costs_spec import DatagramCostsSpec
from netsim.machine.stream_costs_spec import StreamCostsSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Count, Cycles, Time


class NapiSpec(Spec):
    """An interrupt stays masked while polls take up to `weight` packets each, until one brings fewer. A round of a
    softirq ends when it has taken `budget` packets, or has run for `jiffies` ticks of a clock of `hz`. After `restarts`
    rounds, or `restart_time` (rounded up to ticks), the rest is left to a thread (ksoftirqd).

    Cycles: `interrupt_cycles` for an interrupt, with the softirq that it begins and ends, of which `return_cycles` come
    after the last poll; `thread_cycles` for each time that the thread takes over. `tcp` has the costs of streams, and
    `udp` the additional costs of datagrams, if known."""

    catalogue = "kernels"

    weight: Count
    budget: Count
    jiffies: Count
    hz: Count
    restarts: Count
    restart_time: Time
    interrupt_cycles: Cycles
    thread_cycles: Cycles
    return_cycles: Cycles = 0.0
    tcp: StreamCostsSpec | None = None
    udp: DatagramCostsSpec | None = None

    @property
    def jiffy(self) -> int:
        """The length of a jiffy (ps)."""
        return PS_PER_S // self.hz

    @property
    def restart_jiffies(self) -> int:
        """The ticks after which the thread takes over."""
        return -(-self.restart_time // self.jiffy)

    @property
    def entry_cycles(self) -> float:
        """Cycles of an interrupt before the first poll."""
        return max(0.0, self.interrupt_cycles - self.return_cycles)
