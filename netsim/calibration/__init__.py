"""Fits named parameters of models/ to measured rows, and writes them back with where they come from.

    tx = Parameter("drivers/tulip", "tx_cycles", start="600", low="200", high="20000", reason="...")
    fit = calibrate([tx], rows)
    print(fit)
    print(check(others, values=fit.overlay()))
    fit.write()

Least squares on log(simulated / measured), or on the difference where a share was measured, each row weighted with how
well its measurement can be repeated; unknowns are logarithms, so that microseconds and cycles count alike. First on the
closed form of each scenario, which costs nothing, for the rows that have one, then from there on the simulation itself,
which leaps where slopes tell nothing, as a wire limits a row.
Rows of one scenario share its simulation. Nothing depends on what was fitted before: every parameter has its own start
and its bounds, and seeds are fixed, so that the same fit gives the same numbers again.
"""

from netsim.calibration.calibration import Calibration
from netsim.calibration.cross_validation import LeftOut, cross_validate
from netsim.calibration.fit import FitSettings, calibrate, check
from netsim.calibration.parameter import Parameter, addresses, overlay_of
from netsim.calibration.row import Observation, closed_form, throughput

__all__ = [
    "Calibration",
    "FitSettings",
    "LeftOut",
    "Observation",
    "Parameter",
    "addresses",
    "calibrate",
    "check",
    "closed_form",
    "cross_validate",
    "overlay_of",
    "throughput",
]
