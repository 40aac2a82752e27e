from netsim.workload.chariot.tool import Chariot

__all__ = ["Chariot"]
