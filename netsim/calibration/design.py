"""Which rows a fit needs: those whose slopes say most. Measured values have no influence: the rest stays unseen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
SAME = 1e-6  # relative difference that may be due to rounding


def sufficient(says: Matrix, share: float, seen: Sequence[int] = ()) -> list[int]:
    """The numbers of rows that together provide a `share` of the information of all rows (`information`): those `seen`
    already, then, one after another, the row that adds most (a D-optimal design; V. V. Fedorov, "Theory of Optimal
    Experiments", 1972). `says` (rows x parameters) are slopes in units of prior knowledge: rows in their repeatability,
    parameters in their priors. For a share of 1, all rows.
    """
    if share >= 1:
        return list(range(len(says)))
    chosen, wanted = list(seen), share * information(says)
    while information(says[chosen]) < wanted:
        chosen.append(_next(says, chosen))
    return chosen


def information(says: Matrix) -> float:
    """The information of rows: twice the logarithm of the factor by which they narrow the volume of the priors."""
    return float(np.linalg.slogdet(_information_matrix(says))[1])


def _next(says: Matrix, chosen: Sequence[int]) -> int:
    """The row that adds most information, given those chosen. Of rows that are equal except for rounding, the first."""
    left = np.linalg.inv(_information_matrix(says[chosen]))
    added = np.einsum("ij,jk,ik->i", says, left, says)
    added[chosen] = -1.0
    return int(np.argmax(added >= np.max(added) * (1 - SAME)))


def _information_matrix(says: Matrix) -> Matrix:
    """The information matrix of the priors and the rows."""
    found: Matrix = np.eye(says.shape[1]) + says.T @ says
    return found
