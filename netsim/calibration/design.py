"""Which rows a fit needs: those whose slopes tell most. What was measured has no say in it: the rest stays unseen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
SAME = 1e-6  # relative: what rounding may change


def sufficient(says: Matrix, share: float, seen: Sequence[int] = ()) -> list[int]:
    """The numbers of rows that together tell a `share` of what all rows tell: those `seen` already, then one after
    another the row that narrows most what is still open (a D-optimal design; V. V. Fedorov, "Theory of Optimal
    Experiments", 1972). `says` (rows x parameters) are slopes in units of what is known beforehand: rows in their
    repeatability, parameters in their priors. All rows for a share of 1.
    """
    if share >= 1:
        return list(range(len(says)))
    chosen, wanted = list(seen), share * told(says)
    while told(says[chosen]) < wanted:
        chosen.append(_next(says, chosen))
    return chosen


def told(says: Matrix) -> float:
    """By how much rows narrow the volume that the priors leave open, as twice its logarithm."""
    return float(np.linalg.slogdet(_information(says))[1])


def _next(says: Matrix, chosen: Sequence[int]) -> int:
    """The row that adds most: what it says, in units of what is still open. The first of those that say the same, but
    for rounding."""
    left = np.linalg.inv(_information(says[chosen]))
    added = np.einsum("ij,jk,ik->i", says, left, says)
    added[chosen] = -1.0
    return int(np.argmax(added >= np.max(added) * (1 - SAME)))


def _information(says: Matrix) -> Matrix:
    """Of the priors and the rows."""
    found: Matrix = np.eye(says.shape[1]) + says.T @ says
    return found
