"""Network adapters."""

from netsim.nic.nic import Nic, NicSpec

__all__ = ["Nic", "NicSpec"]
