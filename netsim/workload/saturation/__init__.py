from netsim.workload.saturation.tool import Saturation

__all__ = ["Saturation"]
