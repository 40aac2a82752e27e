"""Fits named parameters of models/ to measured rows, and writes them back with their provenance.

    tx = Parameter("drivers/tulip", "tx_cycles", start="600", low="200", high="20000", reason="...")
    fit = calibrate([tx], rows)
    print(fit)
    print(check(others, values=fit.overlay()))
    fit.write()

The fit minimises the squares of log(simulated / measured), or of the difference if a share was measured. Each row is
weighted by the repeatability of its measurement; unknowns are logarithms, so that microseconds and cycles count alike.
The fit begins with the closed form of each scenario, which costs nothing, for the rows that have one, and continues
from there with the simulation itself. It leaps where slopes say nothing, because a wire limits a row.
Rows of one scenario share its simulation. Every parameter has its own start and bounds, and seeds are fixed, so that
the same fit gives the same numbers again. It depends on an earlier one only if it gets its rows or its values.
"""

from netsim.calibration.calibration import Calibration
from netsim.calibration.cross_validation import LeftOut, cross_validate
from netsim.calibration.fit import calibrate, check
from netsim.calibration.fit_settings import FitSettings
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
