from netsim.workload.serverbench.tool import ServerBench

__all__ = ["ServerBench"]
