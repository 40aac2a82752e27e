"""I/O buses: how long a transfer takes, and how masters wait for each other."""

from netsim.bus.bridge import BridgeSpec
from netsim.bus.bus import Bus, Transaction
from netsim.bus.bus_spec import BusSpec, Way
from netsim.bus.eisa import EisaSpec
from netsim.bus.isa import IsaSpec
from netsim.bus.pci import PciSpec
from netsim.bus.tenure import Tenure

__all__ = [
    "BridgeSpec", "Bus", "BusSpec", "EisaSpec", "IsaSpec", "PciSpec", "Tenure", "Transaction", "Way",
]
