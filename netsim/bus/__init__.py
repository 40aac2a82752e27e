"""I/O buses: how long a transfer takes, and how masters wait for each other."""

from netsim.bus.bridge import BridgeSpec
from netsim.bus.bus import Bus, Transaction
from netsim.bus.bus_spec import BusSpec, Way
from netsim.bus.chipset import ChipsetSpec
from netsim.bus.eisa import EisaSpec
from netsim.bus.isa import IsaSpec
from netsim.bus.pci import PciSpec
from netsim.bus.pci_slot import PciSlot, ReadCommands
from netsim.bus.slot import Slot
from netsim.bus.tenure import Tenure

__all__ = [
    "BridgeSpec", "Bus", "BusSpec", "ChipsetSpec", "EisaSpec", "IsaSpec", "PciSlot", "PciSpec", "ReadCommands", "Slot",
    "Tenure", "Transaction", "Way",
]
