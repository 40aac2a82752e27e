"""UDP as one system does it."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles


class UdpSpec(Spec):
    """Cycles per datagram sent and received, apart from its fragments, its copies and the system call."""

    tx_cycles: Cycles
    rx_cycles: Cycles
