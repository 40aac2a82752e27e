"""What varies: values of addresses as a user gives them (axes), and the points that they make of a scenario."""

from netsim.axes.axes import METHODS, Axes, Listed, latin_hypercube, sobol, whole_number, zipped
from netsim.axes.points import Column, Points, Shown

__all__ = [
    "METHODS",
    "Axes",
    "Column",
    "Listed",
    "Points",
    "Shown",
    "latin_hypercube",
    "sobol",
    "whole_number",
    "zipped",
]
