"""The measuring tools."""

from netsim.workload.netperf import Netperf

__all__ = ["Netperf"]
