from netsim.workload.netbench.tool import NetBench

__all__ = ["NetBench"]
