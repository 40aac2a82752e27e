"""The processor time that a frame takes on a host that forwards it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.machine import Work

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


def forwarded(host: ComputerSpec) -> float:
    """Cycles that a router takes for a packet. A firewall checks it twice more than a packet received: when it is
    forwarded, which takes as long as the check of a packet sent (Linux 2.2: ip_forward), and when it is sent, which is
    charged as for any frame sent."""
    costs = host.system.forwarding
    assert costs is not None
    return costs.ip_cycles + host.system.ip.filter_tx_cycles


class ForwardingCosts:
    """The costs of a forwarding host, for frames that leave by the port of this number. Sizes are bytes of memory."""

    def __init__(self, host: ComputerSpec, port: int) -> None:
        costs = host.system.forwarding
        assert costs is not None
        self._host = host
        self._port = port
        self._cycles = forwarded(host) if host.forwards == "ip" else costs.bridge_cycles

    def work(self, sent: int | None) -> Work:
        """A frame is forwarded, and a frame of `sent` bytes goes to the adapter: that one, or one that has waited.
        None: the frame waits, and the driver's time is charged later."""
        bill = self._host.bill_arrival().cycles("forwarding", self._cycles)
        if sent is None:
            return self._host.bill_transmit(bill, 0, None).work()
        return self._host.bill_transmit(bill, sent, self._port).work()
