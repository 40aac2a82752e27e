"""The host computer: processors, memory, interrupts, drivers."""

from netsim.host.driver import Driver, DriverSpec
from netsim.host.host import AdapterSpec, Host, HostSpec
from netsim.host.processor import Processor, Task
from netsim.host.system import KernelSpec, SystemSpec
from netsim.host.work import Bill, MemorySpec, ProcessorSpec, Source, Work

__all__ = [
    "AdapterSpec",
    "Bill",
    "Driver",
    "DriverSpec",
    "Host",
    "HostSpec",
    "KernelSpec",
    "MemorySpec",
    "Processor",
    "ProcessorSpec",
    "Source",
    "SystemSpec",
    "Task",
    "Work",
]
