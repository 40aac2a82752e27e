"""Network adapters."""

from netsim.nic.card import CardSpec
from netsim.nic.data_path import DataPathSpec
from netsim.nic.frame_arrivals import FrameArrivals
from netsim.nic.frame_engine import FrameEngine, QueueEngine
from netsim.nic.frame_times import FrameTimes
from netsim.nic.frame_trains import FrameTrains
from netsim.nic.landing import Landing
from netsim.nic.moderation_spec import Moderation
from netsim.nic.nic import Nic
from netsim.nic.nic_spec import NicSpec
from netsim.nic.queued_nic_spec import QueuedNicSpec
from netsim.nic.receive_queue import HostLink, ReceiveQueue
from netsim.nic.receiver import Receiver
from netsim.nic.slave import SlaveNic
from netsim.nic.slave_spec import SlaveSpec
from netsim.nic.transmit_port import TransmitPort
from netsim.nic.transmit_queue import TransmitQueue
from netsim.nic.transmit_ring import TransmitRing
from netsim.nic.transmitter import Transmitter

__all__ = [
    "CardSpec",
    "DataPathSpec",
    "FrameArrivals",
    "FrameEngine",
    "FrameTimes",
    "FrameTrains",
    "HostLink",
    "Landing",
    "Moderation",
    "Nic",
    "NicSpec",
    "QueueEngine",
    "QueuedNicSpec",
    "ReceiveQueue",
    "Receiver",
    "SlaveNic",
    "SlaveSpec",
    "TransmitPort",
    "TransmitQueue",
    "TransmitRing",
    "Transmitter",
]
