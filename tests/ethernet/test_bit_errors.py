"""Which frames bit errors destroy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.ethernet import BitErrors

SIZE = 1518  # bytes


def errors(rate: float) -> BitErrors:
    return BitErrors(np.random.default_rng(1), rate, SIZE)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=100), st.sampled_from([1e-9, 1e-5, 1e-4, 0.01, 1.0]))
def test_each_frame_is_intact_or_lost(trains: list[int], rate: float) -> None:
    one, intact = errors(rate), 0
    for frames in trains:
        runs = one.intact(frames)
        ends = [0, *[place + count for place, count in runs], frames + 1]
        assert all(end <= place for end, (place, _) in zip(ends, runs, strict=False))
        assert ends == sorted(ends)
        intact += sum(count for _, count in runs)
    assert intact + one.lost == sum(trains)


@pytest.mark.parametrize("rate", [1e-7, 1e-5, 1e-4])
def test_the_share_lost_is_that_of_frames_with_a_wrong_bit(rate: float) -> None:
    one, frames = errors(rate), 400_000
    for _ in range(frames // 40):
        one.intact(40)
    expected = 1 - (1 - rate) ** (8 * SIZE)
    assert one.lost / frames == pytest.approx(expected, abs=4 * math.sqrt(expected / frames))


def test_how_frames_are_grouped_changes_nothing() -> None:
    alone, together = errors(1e-4), errors(1e-4)
    one_by_one = [frame for frame in range(500) if alone.intact(1)]
    assert one_by_one == [place + more for place, count in together.intact(500) for more in range(count)]


def test_without_an_intact_bit_nothing_arrives() -> None:
    assert errors(1.0).intact(100) == []
