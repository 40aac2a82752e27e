from netsim.workload.perform3.tool import Perform3

__all__ = ["Perform3"]
