"""The model's own error, in addition to the repeatability of measurements: a standard deviation that all rows share,
estimated from the rows (M. C. Kennedy and A. O'Hagan, "Bayesian calibration of computer models", 2001)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
LEAST, MOST = 1e-4, 1.0  # of a row's error: a model is neither better nor worse than that


def discrepancy(expected: Matrix, slopes: Matrix, repeatability: Matrix, widths: Matrix) -> float:
    """The model's own error that makes the measurements most probable (maximum of the marginal likelihood).

    `expected` are the rows' errors in the middle of all priors, `slopes` (rows x parameters) d error / d
    log(parameter), `widths` the priors' standard deviations: errors that parameters may explain are not
    the model's.
    """
    from scipy.optimize import minimize_scalar  # here, because it takes a quarter of a second

    explained = (slopes * widths) @ (slopes * widths).T

    def surprise(log: float) -> float:
        covariance = explained + np.diag(repeatability**2 + math.exp(2 * log))
        return float(expected @ np.linalg.solve(covariance, expected) + np.linalg.slogdet(covariance)[1])

    return math.exp(minimize_scalar(surprise, bounds=(math.log(LEAST), math.log(MOST)), method="bounded").x)
