"""Network adapters."""

from netsim.nic.nic import Nic, NicSpec
from netsim.nic.receiver import Receiver
from netsim.nic.transmitter import Transmitter

__all__ = ["Nic", "NicSpec", "Receiver", "Transmitter"]
