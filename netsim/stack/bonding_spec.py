"""Several ports as one device, and the costs of the driver that combines them."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Cycles, Time


class BondSpec(Spec):
    """`policy`: frames take the ports in turn ("round-robin"), or all frames for one peer take one port ("address",
    peers assigned to ports in turn). `tx_cycles` are spent per frame sent: from the bond's entry point to that of the
    port's driver, and on returning the frame once it is sent; `rx_cycles` per frame received (None: the same number).
    The bond notices after `detection` (ps) that a port has lost or regained its link."""

    catalogue = "bonds"

    policy: Literal["round-robin", "address"]
    tx_cycles: Cycles
    rx_cycles: Cycles | None = None
    detection: Time = 0
