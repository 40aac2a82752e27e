"""What a system does with every message between a process and the driver, whatever the protocol."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Count, Cycles, UnitCycles


class SocketPathSpec(Spec):
    """Cycles: `call_cycles` for the way into a system call, or out of it; `byte_cycles` to copy each byte;
    `output_cycles` from the protocol through IP and the queueing discipline to the driver. Of a packet that comes:
    `buffer_cycles` to make a buffer of it and try to merge it (GRO), `input_cycles` for IP. Where another core has the
    rest of the softirq (RPS), `steer_cycles` hash it and put it into that one's backlog, which has room for `backlog`
    packets. A process that sleeps takes `wake_cycles` of the process or core that wakes it and `switch_cycles` of its
    own core; one that polls its socket takes `spin_cycles` to see a message."""

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
