"""Designs: enough rows, none twice, and no more than enough."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from netsim.calibration.design import Matrix, information, sufficient

SAYS = arrays(float, (8, 3), elements=st.floats(-100, 100))


@given(SAYS, st.floats(0, 0.999), st.lists(st.integers(0, 7), unique=True, max_size=8))
def test_a_design_tells_its_share_and_not_more_than_one_row_more(says: Matrix, share: float, seen: list[int]) -> None:
    chosen = sufficient(says, share, seen)
    assert len(set(chosen)) == len(chosen)
    assert chosen[: len(seen)] == seen
    assert information(says[chosen]) >= share * information(says)
    assert len(chosen) == len(seen) or information(says[chosen[:-1]]) < share * information(says)


@given(SAYS)
def test_a_row_tells_no_more_beside_others_than_alone(says: Matrix) -> None:
    """This is why a greedy choice is close to the best (information is submodular)."""
    alone, beside = information(says[:1]), information(says) - information(says[1:])
    assert beside <= alone + 1e-6


def test_the_row_that_tells_most_comes_first_and_its_twin_last() -> None:
    says = np.array([[1.0, 0.0], [5.0, 0.0], [5.0, 0.1], [0.0, 2.0]])
    first, second, *_ = sufficient(says, 0.99)
    assert (first, second) == (2, 3)
    assert sufficient(says, 1) == [0, 1, 2, 3]
