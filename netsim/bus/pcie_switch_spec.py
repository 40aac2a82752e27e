"""What a PCI Express switch is that several devices share: each has a link of its own to it, and all of them have one
link from there to the root complex."""

from __future__ import annotations

from typing import Literal

from netsim.bus.credits_spec import CreditsSpec
from netsim.bus.pcie_spec import PcieSpec
from netsim.spec import Spec
from netsim.units import Time


class PcieSwitchSpec(Spec):
    """A switch with an `uplink`, for which its ports take turns, packet by packet (round robin, the arbitration that
    every switch has: PCI Express Base Specification, 6.3). Its logic takes `time` in either direction (ps). By
    "cut-through" (`forwarding`) a packet goes on before its last bit is there, but never so soon that it would run dry;
    or all of it is stored before. A port has room for what its device sends by its `credits` (None: always)."""

    catalogue = "pcie-switches"

    uplink: PcieSpec
    time: Time
    forwarding: Literal["cut-through", "store-and-forward"] = "cut-through"
    credits: CreditsSpec | None = None

    def ready(self, last_bit: int, took: int, takes: int) -> int:
        """When a packet may go on (ps) whose `last_bit` is there then, that `took` so long to come and `takes` so long
        to go."""
        ahead = min(took, takes) if self.forwarding == "cut-through" else 0
        return last_bit - ahead + self.time
