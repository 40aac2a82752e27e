from netsim.workload.iperf3.tool import Iperf3

__all__ = ["Iperf3"]
