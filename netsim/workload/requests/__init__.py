from netsim.workload.requests.tool import Requests

__all__ = ["Requests"]
