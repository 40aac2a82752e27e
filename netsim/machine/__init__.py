"""The host computer: processors, memory, interrupts, drivers."""

from netsim.machine.adapter import AdapterSpec, InstalledSpec, SlaveAdapterSpec
from netsim.machine.bill import Bill
from netsim.machine.byte_queue_limits import ByteQueueLimits
from netsim.machine.clock import Ticks
from netsim.machine.datagram_costs_spec import DatagramCostsSpec
from netsim.machine.descriptor_returns import DescriptorReturns
from netsim.machine.device import QUEUED, Device
from netsim.machine.driver import Driver
from netsim.machine.driver_spec import DriverSpec
from netsim.machine.fair_share import FairShare
from netsim.machine.files import FilesSpec
from netsim.machine.host import Host
from netsim.machine.host_spec import HostSpec
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.last_level_cache_spec import LastLevelCacheSpec
from netsim.machine.lock import Lock
from netsim.machine.memory import Memory
from netsim.machine.memory_spec import MemorySpec
from netsim.machine.napi import NapiCore, PollCosts, PollLimits
from netsim.machine.napi_spec import NapiSpec
from netsim.machine.packet_action_spec import PacketActionSpec
from netsim.machine.packet_sender import PacketSender, SenderCosts, ThrottleWay
from netsim.machine.port import Port
from netsim.machine.processor import Processor
from netsim.machine.processor_spec import ProcessorSpec
from netsim.machine.queue_driver_spec import QueueDriverSpec
from netsim.machine.server_core import ServerCore
from netsim.machine.server_memory_spec import ServerMemorySpec
from netsim.machine.server_spec import ServerSpec
from netsim.machine.stream_costs_spec import StreamCostsSpec
from netsim.machine.stream_driver_spec import StreamDriverSpec
from netsim.machine.stream_napi import PollUser, StreamNapi
from netsim.machine.system import KernelSpec, SystemSpec
from netsim.machine.tally import CATEGORIES, Cost, CycleTally
from netsim.machine.task import Task
from netsim.machine.threads import Thread, Threads
from netsim.machine.volume import Volume
from netsim.machine.work import Place, Work

__all__ = [
    "CATEGORIES",
    "QUEUED",
    "AdapterSpec",
    "Bill",
    "ByteQueueLimits",
    "Cost",
    "CycleTally",
    "DatagramCostsSpec",
    "DescriptorReturns",
    "Device",
    "Driver",
    "DriverSpec",
    "FairShare",
    "FilesSpec",
    "Host",
    "HostSpec",
    "InstalledSpec",
    "InterruptPolicy",
    "KernelSpec",
    "LastLevelCacheSpec",
    "Lock",
    "Memory",
    "MemorySpec",
    "NapiCore",
    "NapiSpec",
    "PacketActionSpec",
    "PacketSender",
    "Place",
    "PollCosts",
    "PollLimits",
    "PollUser",
    "Port",
    "Processor",
    "ProcessorSpec",
    "QueueDriverSpec",
    "SenderCosts",
    "ServerCore",
    "ServerMemorySpec",
    "ServerSpec",
    "SlaveAdapterSpec",
    "StreamCostsSpec",
    "StreamDriverSpec",
    "StreamNapi",
    "SystemSpec",
    "Task",
    "Thread",
    "Threads",
    "ThrottleWay",
    "Ticks",
    "Volume",
    "Work",
]
