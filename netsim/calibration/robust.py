"""Least squares that outliers hardly affect: the pseudo-Huber loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def softened(residuals: Matrix, outlier: float | None) -> tuple[Matrix, Matrix]:
    """Residuals whose squares are their pseudo-Huber loss, and their derivatives: up to `outlier`, residuals are hardly
    changed; far beyond it, they grow as the square root (None: unchanged)."""
    if outlier is None:
        return residuals, np.ones_like(residuals)
    bend = np.sqrt(1 + (residuals / outlier) ** 2)
    soft = np.sign(residuals) * outlier * np.sqrt(2 * (bend - 1))
    with np.errstate(invalid="ignore"):
        slopes = np.where(np.abs(residuals) < 1e-6 * outlier, 1.0, residuals / bend / soft)
    return soft, slopes
