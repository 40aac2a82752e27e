from netsim.workload.netperf.tool import Netperf

__all__ = ["Netperf"]
