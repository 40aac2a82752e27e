"""The model's own error, in addition to the repeatability of measurements: a standard deviation that the rows of a
family share, estimated from them (M. C. Kennedy and A. O'Hagan, "Bayesian calibration of computer models", 2001)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
LEAST, MOST = 1e-4, 1.0  # of a row's error: a model is neither better nor worse than that
FIRST = 0.05  # where the search begins
ROUNDS = 20  # through all families, at most
SETTLED = 0.01  # relative


def discrepancies(
    expected: Matrix, slopes: Matrix, resolution: Matrix, widths: Matrix, families: Sequence[str]
) -> dict[str, float]:
    """The model's own errors, by family, that make the measurements most probable (maximum of the marginal likelihood,
    one family after the other until none changes any more).

    `expected` are the rows' errors in the middle of all priors, `slopes` (rows x parameters) d error / d
    log(parameter), `resolution` the standard deviations of errors that neither parameters nor the model cause, `widths`
    those of the priors: errors that parameters may explain are not the model's.
    """
    from scipy.optimize import minimize_scalar  # here, because it takes a quarter of a second

    explained = (slopes * widths) @ (slopes * widths).T
    members = {family: np.array([one == family for one in families]) for family in dict.fromkeys(families)}
    found = dict.fromkeys(members, FIRST)

    def surprise(log: float, family: str) -> float:
        own = sum(members[one] * (math.exp(log) if one == family else sd) for one, sd in found.items())
        covariance = explained + np.diag(resolution**2 + own**2)
        return float(expected @ np.linalg.solve(covariance, expected) + np.linalg.slogdet(covariance)[1])

    for _ in range(ROUNDS):
        before = dict(found)
        for family in found:
            bounds = (math.log(LEAST), math.log(MOST))
            found[family] = math.exp(minimize_scalar(surprise, bounds=bounds, args=(family,), method="bounded").x)
        if all(abs(sd / before[family] - 1) < SETTLED for family, sd in found.items()):
            break
    return found
