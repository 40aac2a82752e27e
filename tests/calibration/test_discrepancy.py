"""A model's own error is estimated from the rows, and keeps a fit from trusting them more than the model deserves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from netsim.calibration.discrepancy import LEAST, discrepancies

Matrix = NDArray[np.float64]
ROWS, FEW, PARAMETERS = 80, 40, 6


def discrepancy(expected: Matrix, slopes: Matrix, repeatability: Matrix, widths: Matrix) -> float:
    """The estimate for rows of a single family."""
    (found,) = discrepancies(expected, slopes, repeatability, widths, [""] * len(expected)).values()
    return found


def drawn(own: float, repeatability: float, seed: int) -> float:
    """The estimate for rows of a model with this error of its own, with parameters drawn from their priors."""
    random = np.random.default_rng(seed)
    slopes = random.normal(size=(ROWS, PARAMETERS))
    widths = random.uniform(0.1, 1, PARAMETERS)
    off = slopes @ (widths * random.normal(size=PARAMETERS))
    expected = off + random.normal(size=ROWS) * np.hypot(own, repeatability)
    return discrepancy(expected, slopes, np.full(ROWS, repeatability), widths)


@given(st.floats(0.02, 0.3), st.integers(0, 1000))
def test_a_models_own_error_is_found_from_its_rows(own: float, seed: int) -> None:
    """To five standard deviations of an estimate from that number of rows."""
    assert drawn(own, 0.01, seed) == pytest.approx(own, rel=5 / np.sqrt(2 * (ROWS - PARAMETERS)) * 1.25)


@given(st.integers(0, 1000))
def test_a_perfect_model_has_hardly_any(seed: int) -> None:
    assert drawn(0.0, 0.01, seed) < 0.01


def test_what_priors_can_explain_is_not_the_models() -> None:
    slopes = np.array([[1.0], [1.0], [1.0]])
    off = np.array([0.4, 0.4, 0.4])
    assert discrepancy(off, slopes, np.full(3, 0.01), np.array([0.5])) < 10 * LEAST
    assert discrepancy(off, 0 * slopes, np.full(3, 0.01), np.array([0.5])) == pytest.approx(0.4, rel=0.01)


@settings(max_examples=20)
@given(st.floats(0.01, 0.05), st.floats(2, 20), st.integers(0, 1000))
def test_each_family_has_its_own(near: float, times: float, seed: int) -> None:
    """The model meets one family far better than the other; parameters affect both."""
    random = np.random.default_rng(seed)
    slopes, widths = random.normal(size=(2 * FEW, PARAMETERS)), random.uniform(0.1, 1, PARAMETERS)
    own = np.repeat([near, near * times], FEW)
    expected = slopes @ (widths * random.normal(size=PARAMETERS)) + random.normal(size=2 * FEW) * own
    found = discrepancies(expected, slopes, np.full(2 * FEW, 1e-3), widths, ["near"] * FEW + ["far"] * FEW)
    tolerance = 5 / np.sqrt(2 * (FEW - PARAMETERS)) * 1.25
    assert found == pytest.approx({"near": near, "far": near * times}, rel=tolerance)
