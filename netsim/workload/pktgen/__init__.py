from netsim.workload.pktgen.tool import Pktgen

__all__ = ["Pktgen"]
