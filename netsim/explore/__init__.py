"""Many scenarios at once: axes and the points that they make, instant bounds over a grid, sensitivity."""

from netsim.explore.axes import METHODS, Axes, Listed, latin_hypercube, sobol, zipped
from netsim.explore.bounds_grid import BoundsGrid, Failure, bounds
from netsim.explore.points import Column, Points, Shown
from netsim.lazy import modules_of

__all__ = [
    "METHODS",
    "Axes",
    "BoundsGrid",
    "Column",
    "Failure",
    "Listed",
    "Points",
    "Shown",
    "bounds",
    "latin_hypercube",
    "sobol",
    "zipped",
]

__getattr__ = modules_of(__name__)
