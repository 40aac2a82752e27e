"""A PCI-PCI bridge (PCI-to-PCI Bridge Architecture Specification 1.1), as on an adapter with several ports.

What is behind it shares the bus in front of it, and everything takes longer by what the bridge needs to claim a
transaction on one side and repeat it on the other. A read of memory cannot be posted: its first data come later by the
whole way there (5.6, delayed transactions). Writes are posted, and follow behind the bridge's own start.

Not modelled: the bus behind it as a queue of its own. A burst through the bridge holds both buses for as long as the
slower way takes, so two bridges on one bus do not overlap their bursts.
"""

from __future__ import annotations

from netsim.bus.pci import PciSpec
from netsim.spec import Spec
from netsim.units import Clocks


class BridgeSpec(Spec):
    """Clocks that a bridge adds to the first data of a read, and of a write, in either direction."""

    catalogue = "bridges"

    read_latency: Clocks
    write_latency: Clocks

    def behind(self, bus: PciSpec) -> PciSpec:
        """`bus` as seen from behind this bridge."""
        return bus.model_copy(
            update={
                "read_latency": bus.read_latency + self.read_latency,
                "write_latency": bus.write_latency + self.write_latency,
                "register_read_latency": bus.register_read_latency + self.read_latency,
                "register_write_latency": bus.register_write_latency + self.write_latency,
            }
        )
