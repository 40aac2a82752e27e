"""What a system does with every message between a process and the driver, whatever the protocol."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Count, Cycles, UnitCycles


class SocketPathSpec(Spec):
    """Cycles: `call_cycles` to enter a system call, or to leave it; `byte_cycles` to copy each byte; `output_cycles`
    from the protocol through IP and the queueing discipline to the driver. For a received packet: `buffer_cycles` to
    build a buffer and try to merge it (GRO), `input_cycles` for IP. If another core does the rest of the softirq (RPS),
    `steer_cycles` hash the packet and put it into that core's backlog, which has room for `backlog` packets. Waking a
    sleeping process takes `wake_cycles` on the core that wakes it and `switch_cycles` on its own core; a process that
    polls its socket takes `spin_cycles` to notice a message."""

    catalogue = "socket-paths"

    call_cycles: Cycles
    byte_cycles: UnitCycles
    output_cycles: Cycles
    buffer_cycles: Cycles
    input_cycles: Cycles
    steer_cycles: Cycles
    backlog: Count
    wake_cycles: Cycles
    switch_cycles: Cycles
    spin_cycles: Cycles
