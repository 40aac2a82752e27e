"""The host computer: processors, memory, interrupts, drivers."""

from netsim.host.adapter import AdapterSpec, SlaveAdapterSpec
from netsim.host.driver import Driver
from netsim.host.driver_spec import DriverSpec
from netsim.host.files import FilesSpec
from netsim.host.host import Host, HostSpec
from netsim.host.lock import Lock
from netsim.host.memory import Memory
from netsim.host.port import MasterPort, Port
from netsim.host.processor import Processor
from netsim.host.system import KernelSpec, SystemSpec
from netsim.host.task import Task
from netsim.host.threads import Thread, Threads
from netsim.host.volume import Volume
from netsim.host.work import Bill, MemorySpec, Place, ProcessorSpec, Work

__all__ = [
    "AdapterSpec",
    "Bill",
    "Driver",
    "DriverSpec",
    "FilesSpec",
    "Host",
    "HostSpec",
    "KernelSpec",
    "Lock",
    "MasterPort",
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
    "Volume",
    "Work",
]
