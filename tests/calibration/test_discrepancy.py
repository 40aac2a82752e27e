"""A model's own error is estimated from the rows, and keeps a fit from trusting them more than the model deserves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.calibration.discrepancy import LEAST, discrepancy

ROWS, PARAMETERS = 80, 6


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
