"""Several ports as one device, and the costs of the driver that combines them."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Cycles, Time

Shares = list[tuple[float, int]]  # of frames, by port


def shares(policy: str, ports: int, peer: int) -> Shares:
    """The ports of a bond that carry the frames for the peer of this number: all in turn, or one."""
    return [(1 / ports, port) for port in range(ports)] if policy == "round-robin" else [(1.0, peer % ports)]


class BondSpec(Spec):
    """`policy`: frames take the ports in turn ("round-robin"), or all frames for one peer take one port ("address",
    peers assigned to ports in turn). `tx_cycles` are spent per frame sent: from the bond's entry point to that of the
    port's driver, and on returning the frame once it is sent; `rx_cycles` per frame received (None: the same number).
    The bond notices after `detection` (ps) that a port has lost or regained its link (None: never, so it keeps sending
    there)."""

    catalogue = "bonds"

    policy: Literal["round-robin", "address"]
    tx_cycles: Cycles
    rx_cycles: Cycles | None = None
    detection: Time | None
