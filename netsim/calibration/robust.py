"""Least squares that rows far off hardly bend: the pseudo-Huber loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def softened(residuals: Matrix, outlier: float | None) -> tuple[Matrix, Matrix]:
    """Residuals whose squares are their pseudo-Huber loss, and the derivatives of that: up to `outlier` they are hardly
    changed, far beyond it they grow as its root (None: they stay)."""
    if outlier is None:
        return residuals, np.ones_like(residuals)
    bend = np.sqrt(1 + (residuals / outlier) ** 2)
    soft = np.sign(residuals) * outlier * np.sqrt(2 * (bend - 1))
    with np.errstate(invalid="ignore"):
        slopes = np.where(np.abs(residuals) < 1e-6 * outlier, 1.0, residuals / bend / soft)
    return soft, slopes
