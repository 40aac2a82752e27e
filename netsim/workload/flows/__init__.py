from netsim.workload.flows.tool import Flows

__all__ = ["Flows"]
