"""The host computer: processors, memory, interrupts, drivers."""

from netsim.machine.adapter import AdapterSpec, InstalledSpec, SlaveAdapterSpec
from netsim.machine.bill import Bill
from netsim.machine.clock import Ticks
from netsim.machine.device import QUEUED, Device
from netsim.machine.driver import Driver
from netsim.machine.driver_spec import DriverSpec
from netsim.machine.files import FilesSpec
from netsim.machine.host import Host
from netsim.machine.host_spec import HostSpec
from netsim.machine.lock import Lock
from netsim.machine.memory import Memory
from netsim.machine.memory_spec import MemorySpec
from netsim.machine.port import Port
from netsim.machine.processor import Processor
from netsim.machine.processor_spec import ProcessorSpec
from netsim.machine.system import KernelSpec, SystemSpec
from netsim.machine.task import Task
from netsim.machine.threads import Thread, Threads
from netsim.machine.volume import Volume
from netsim.machine.work import Place, Work

__all__ = [
    "QUEUED",
    "AdapterSpec",
    "Bill",
    "Device",
    "Driver",
    "DriverSpec",
    "FilesSpec",
    "Host",
    "HostSpec",
    "InstalledSpec",
    "KernelSpec",
    "Lock",
    "Memory",
    "MemorySpec",
    "Place",
    "Port",
    "Processor",
    "ProcessorSpec",
    "SlaveAdapterSpec",
    "SystemSpec",
    "Task",
    "Thread",
    "Threads",
    "Ticks",
    "Volume",
    "Work",
]
