"""How Linux handles interrupts for packets (NAPI): in what portions, for how long, and at what cost."""

from __future__ import annotations

from netsim.machine.datagram_costs_spec import DatagramCostsSpec
from netsim.machine.stream_costs_spec import StreamCostsSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Count, Cycles, Time


class NapiSpec(Spec):
    """An interrupt stays masked while polls take up to `weight` packets each, until one brings fewer. A softirq ends
    when it has taken `budget` packets, or has run for `jiffies` of 1 / `hz`. It begins again up to `restarts` times, or
    for `restart_time`; the rest is then left to a thread (ksoftirqd).

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
    def softirq_time(self) -> int:
        """The longest time for which a softirq runs (ps)."""
        return self.jiffies * PS_PER_S // self.hz

    @property
    def entry_cycles(self) -> float:
        """Cycles of an interrupt before the first poll."""
        return max(0.0, self.interrupt_cycles - self.return_cycles)
