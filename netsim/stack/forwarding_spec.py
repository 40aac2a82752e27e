"""What forwarding a frame costs a system."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles


class ForwardingSpec(Spec):
    """Processor cycles between taking up a received frame and calling the driver to send it: `ip_cycles` for a router
    (checks, a cached route, the next hop's header, the queue), `bridge_cycles` for a bridge (a second head for the
    buffer, learning the sender's address, looking up the receiver's, the queue). Both are spent in deferred work, and
    neither touches the frame's payload."""

    ip_cycles: Cycles
    bridge_cycles: Cycles
