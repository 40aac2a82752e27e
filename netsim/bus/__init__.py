"""I/O buses: how long a transfer takes, and how masters wait for each other."""

from netsim.bus.bridge import BridgeSpec
from netsim.bus.bus import Bus, Transaction
from netsim.bus.bus_spec import BusSpec, Way
from netsim.bus.chipset import ChipsetSpec
from netsim.bus.clocked_slot import ClockedSlot
from netsim.bus.credited_direction import CreditedDirection
from netsim.bus.credits_spec import CreditsSpec
from netsim.bus.dma_engine import DmaCommand, DmaEngine
from netsim.bus.dma_engine_spec import DmaEngineSpec
from netsim.bus.eisa import EisaSpec
from netsim.bus.iommu_spec import IommuSpec
from netsim.bus.isa import IsaSpec
from netsim.bus.list_polls import ListPolls
from netsim.bus.memory_stream import MemoryStream
from netsim.bus.pci import PciSpec
from netsim.bus.pci_slot import PciSlot, ReadCommands
from netsim.bus.pcie import PcieDirection
from netsim.bus.pcie_spec import PcieSpec
from netsim.bus.pcie_switch import PcieSwitch, PcieSwitchPort
from netsim.bus.pcie_switch_spec import PcieSwitchSpec
from netsim.bus.pcix import PcixSpec
from netsim.bus.pcix_slot import MaxRead, Outstanding, PcixSlot
from netsim.bus.root_complex import RootComplex
from netsim.bus.root_complex_spec import RootComplexSpec
from netsim.bus.slot import Slot
from netsim.bus.split_spec import SplitSpec
from netsim.bus.switched_dma_engine import SwitchedDmaEngine
from netsim.bus.tenure import Tenure
from netsim.bus.translating import Iommu, TranslatingRootComplex

__all__ = [
    "BridgeSpec",
    "Bus",
    "BusSpec",
    "ChipsetSpec",
    "ClockedSlot",
    "CreditedDirection",
    "CreditsSpec",
    "DmaCommand",
    "DmaEngine",
    "DmaEngineSpec",
    "EisaSpec",
    "Iommu",
    "IommuSpec",
    "IsaSpec",
    "ListPolls",
    "MaxRead",
    "MemoryStream",
    "Outstanding",
    "PciSlot",
    "PciSpec",
    "PcieDirection",
    "PcieSpec",
    "PcieSwitch",
    "PcieSwitchPort",
    "PcieSwitchSpec",
    "PcixSlot",
    "PcixSpec",
    "ReadCommands",
    "RootComplex",
    "RootComplexSpec",
    "Slot",
    "SplitSpec",
    "SwitchedDmaEngine",
    "Tenure",
    "Transaction",
    "TranslatingRootComplex",
    "Way",
]
