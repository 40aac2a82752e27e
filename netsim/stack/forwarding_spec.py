"""What it costs a system to send on what it has received."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles


class ForwardingSpec(Spec):
    """Processor cycles from where a received frame is taken up until its driver is called to send it: `ip_cycles` for a
    router (checks, a route that is known, the next hop's header, the queue), `bridge_cycles` for a bridge (a second
    head for the buffer, the sender's address learned, the receiver's looked up, the queue). Both are in deferred work,
    and neither touches what the frame carries."""

    ip_cycles: Cycles
    bridge_cycles: Cycles
