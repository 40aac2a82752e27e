"""Instant sweeps: the closed form of a scenario over a whole grid of dotted addresses at once.

    grid = netsim.bounds(test, {"sender.processors.clock": ["300 MHz", "600 MHz"], "mtu": range(576, 1501)})

The closed form is not written a second time. The very functions that work it out for one scenario are given a scenario
whose swept numbers are arrays (netsim.units.swept). Where they would go different ways for different points, the points
are divided, and each lot goes on alone (netsim.grid.part): numbers in plain formulas go through all at once, names,
counts that are looped over and other cards one by one.
"""

from netsim.grid.bounds_grid import BoundsGrid, Failure, bounds

__all__ = ["BoundsGrid", "Failure", "bounds"]
