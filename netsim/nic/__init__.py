"""Network adapters."""

from netsim.nic.moderation import Moderation
from netsim.nic.nic import Nic, NicSpec
from netsim.nic.receiver import Receiver
from netsim.nic.transmitter import Transmitter

__all__ = ["Moderation", "Nic", "NicSpec", "Receiver", "Transmitter"]
