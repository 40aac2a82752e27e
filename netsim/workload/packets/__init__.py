from netsim.workload.packets.tool import Packets

__all__ = ["Packets"]
