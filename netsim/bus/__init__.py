"""I/O buses: how long a transfer takes, and who waits for whom."""

from netsim.bus.bridge import BridgeSpec
from netsim.bus.pci import PciBus, PciSpec, Transaction

__all__ = ["BridgeSpec", "PciBus", "PciSpec", "Transaction"]
