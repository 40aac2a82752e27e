"""A scenario, as described and as it runs."""

from netsim.scenario.run import Run, SeriesRun, StreamRun
from netsim.scenario.scenario import Scenario, host, netware_host

__all__ = ["Run", "Scenario", "SeriesRun", "StreamRun", "host", "netware_host"]
