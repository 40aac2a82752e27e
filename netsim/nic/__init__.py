"""Network adapters."""

from netsim.nic.card import CardSpec
from netsim.nic.data_path import DataPathSpec
from netsim.nic.moderation import Moderation
from netsim.nic.nic import Nic, NicSpec
from netsim.nic.receiver import Receiver
from netsim.nic.slave import SlaveNic, SlaveSpec
from netsim.nic.transmitter import Transmitter

__all__ = [
    "CardSpec",
    "DataPathSpec",
    "Moderation",
    "Nic",
    "NicSpec",
    "Receiver",
    "SlaveNic",
    "SlaveSpec",
    "Transmitter",
]
