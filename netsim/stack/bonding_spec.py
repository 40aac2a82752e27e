"""What several ports are as one device, and what the driver that makes them one costs."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Cycles, Time


class BondSpec(Spec):
    """`policy`: the frames of a bond go to its ports in turn ("round-robin"), or all those for one peer to one port
    ("address", peers to ports in turn). `tx_cycles` per frame sent, from the bond's own entry to that of the port's
    driver, and to give it back when it has been sent, `rx_cycles` per frame received (None: as many). The bond notices
    that a port has lost its link, or has it again, after `detection` (ps)."""

    catalogue = "bonds"

    policy: Literal["round-robin", "address"]
    tx_cycles: Cycles
    rx_cycles: Cycles | None = None
    detection: Time = 0
