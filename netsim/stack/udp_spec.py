"""UDP as one system implements it."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Fraction, Header


class UdpSpec(Spec):
    """Cycles per datagram sent and received, apart from its fragments, its copies and the system call. A process that
    waits for room in the send buffer is woken once at most the `wake_up_share` of it is in use. A fragment's buffer has
    room for `headroom` bytes beyond its IP packet. With `finds_path_mtu` a sender discovers the path MTU: it forbids
    fragmentation on the path, and cuts its datagrams to the size that routers report (RFC 1191)."""

    tx_cycles: Cycles
    rx_cycles: Cycles
    wake_up_share: Fraction = 1.0
    headroom: Header = 0
    finds_path_mtu: bool = False
