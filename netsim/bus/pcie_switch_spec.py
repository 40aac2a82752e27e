"""A PCI Express switch shared by several devices: each has its own link to the switch, and all share one link from
there to the root complex."""

from __future__ import annotations

from typing import Literal

from netsim.bus.credits_spec import CreditsSpec
from netsim.bus.pcie_spec import PcieSpec
from netsim.spec import Spec
from netsim.units import Time


class PcieSwitchSpec(Spec):
    """A switch whose ports take turns on its `uplink`, packet by packet (round robin, the arbitration that every switch
    has: PCI Express Base Specification, 6.3). Its logic takes `time` in either direction (ps). With "cut-through" as
    `forwarding`, it passes a packet on before the last bit has arrived, but never so soon that the outgoing link would
    run dry; otherwise it stores the whole packet first. `credits` are a port's room for packets of its device (None:
    always enough)."""

    catalogue = "pcie-switches"

    uplink: PcieSpec
    time: Time
    forwarding: Literal["cut-through", "store-and-forward"] = "cut-through"
    credits: CreditsSpec | None = None

    def ready(self, last_bit: int, took: int, takes: int) -> int:
        """When a packet may go on (ps), given when its `last_bit` arrives, the time that it `took` to arrive, and the
        time that it `takes` to send."""
        ahead = min(took, takes) if self.forwarding == "cut-through" else 0
        return last_bit - ahead + self.time
