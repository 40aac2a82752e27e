"""Warm-up removal, batch means and replications, on processes with known means."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from netsim.statistics import (
    Estimate,
    degrees_of_each,
    differ,
    differences,
    estimate,
    mean_rate,
    mser,
    replications,
    student,
    transient,
)

Samples = NDArray[np.float64]


def noise(rng: np.random.Generator, number: int) -> Samples:
    return rng.normal(size=number)


def autoregressive(rng: np.random.Generator, number: int) -> Samples:
    """Variance 1, lag-1 correlation 0.5."""
    values = noise(rng, number)
    for index in range(1, number):
        values[index] = 0.5 * values[index - 1] + math.sqrt(0.75) * values[index]
    return values


def edges(rng: np.random.Generator, number: int) -> Samples:
    """The next sample has whatever one lacks at its edge: lag-1 correlation -0.5."""
    return np.diff(noise(rng, number + 1)) / math.sqrt(2)


def test_mser_keeps_everything_of_a_steady_run() -> None:
    assert mser([5.0] * 40) == 0
    assert mser([0.1 + 1e-14 * (-1) ** index for index in range(40)]) == 0  # rounding is no warm-up
    assert mser([0.0] * 10) == 0


def test_mser_cuts_off_a_slow_start() -> None:
    rng = np.random.default_rng(1)
    samples = 100 + noise(rng, 200)
    samples[:23] -= np.linspace(80, 20, 23)
    cut = mser(samples)
    assert cut is not None
    assert 23 <= cut <= 30


@pytest.mark.parametrize("samples", [[], [1.0], [float(index) for index in range(50)]])
def test_mser_says_that_a_run_has_not_settled(samples: list[float]) -> None:
    assert mser(samples) is None


@pytest.mark.parametrize("end", [0, 23])
def test_a_rare_event_is_no_part_of_the_start(end: int) -> None:
    """MSER would cut off a stall with everything before it, and what it costs would be missing in the mean."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        samples = 100 + noise(rng, 200)
        samples[:end] -= np.linspace(80, 20, end)
        samples[70:75] = 0
        assert (mser(samples) or 0) >= 75
        cut = transient(samples)
        assert cut is not None
        assert end <= cut < 70


def approach(samples: Samples, end: int) -> None:
    """Slowly, in ever smaller steps."""
    samples -= 20 * np.exp(-np.arange(len(samples)) / end)


def overshoot(samples: Samples, end: int) -> None:
    """A ramp, which ends too high, and a return."""
    samples[:end] -= np.linspace(100, 0, end)
    samples[end : 3 * end] += 20 * np.exp(-np.arange(2 * end) / end)


def late_fill(samples: Samples, end: int) -> None:
    """A few ordinary samples before queues fill."""
    samples[3 : 3 + end] += 10


@pytest.mark.parametrize("shape", [approach, overshoot, late_fill])
@pytest.mark.parametrize("end", [5, 10, 20])
def test_a_start_of_any_shape_is_cut_off_as_by_mser(shape: Callable[[Samples, int], None], end: int) -> None:
    """On average the means of what remains differ by less than a twentieth of the spread of one sample."""
    found: dict[str, list[float]] = {"mser": [], "transient": []}
    for seed in range(100):
        samples = 100 + noise(np.random.default_rng(seed), 200)
        shape(samples, end)
        for rule in (mser, transient):
            cut = rule(samples)
            assert cut is not None
            found[rule.__name__].append(float(samples[cut:].mean()))
    biases = [float(np.mean(means)) - 100 for means in found.values()]
    assert abs(biases[1] - biases[0]) < 0.05
    assert transient([float(index) for index in range(50)]) is None


def beats(rng: np.random.Generator, number: int) -> Samples:
    """A delivery about every 2.7 samples, and a little noise: a sample's deliveries depend on where it begins."""
    phases = (np.arange(number + 1) * (0.37 + 0.01 * rng.random()) + rng.random()) % 1
    return np.diff(phases) + 0.02 * noise(rng, number)


def swings(rng: np.random.Generator, number: int) -> Samples:
    """Up and down every 13.3 samples."""
    return np.sin(np.arange(number) * 2 * np.pi / 13.3 + 2 * np.pi * rng.random()) + 0.05 * noise(rng, number)


def renewals(rng: np.random.Generator, number: int) -> Samples:
    """The number of completions in each sample of repeated work that takes 0.1 to 0.5 of a sample."""
    ends = np.cumsum(rng.uniform(0.1, 0.5, size=12 * number))
    return np.histogram(ends, np.arange(number + 1) + 2.0)[0] - 1 / 0.3


EVERY = [noise, autoregressive, edges, beats, swings, renewals]
RUNS = 400


@pytest.mark.parametrize("process", EVERY)
@pytest.mark.parametrize(("iterations", "number"), [(1, 300), (2, 150), (3, 100), (10, 50)])
def test_intervals_hold_the_mean_as_often_as_they_say_and_are_no_wider_than_the_spread(
    process: Callable[..., Samples], iterations: int, number: int
) -> None:
    """At least 97 of 100 for 99 %, and on average at most 1.5 times the width that the spread over seeds gives."""
    rng = np.random.default_rng(7)
    degrees, ones = degrees_of_each(iterations), np.ones(number)
    found = [
        replications([mean_rate(50 + process(rng, number), ones, 0.99, degrees) for _ in range(iterations)], 0.99)
        for _ in range(RUNS)
    ]
    means, widths = (np.array([getattr(one, name) for one in found]) for name in ("mean", "half_width"))
    assert np.mean(np.abs(means - 50) <= widths) >= 0.97
    assert widths.mean() <= 1.5 * student(0.99, RUNS - 1) * means.std(ddof=1)


def test_runs_differ_if_each_has_found_something_of_its_own() -> None:
    unlike, alike = ([estimate(mean, variance, 8, 0.99) for mean in (127, 131, 136)] for variance in (0.1, 25.0))
    assert differ(unlike)
    assert not differ(alike)
    assert not differ(unlike[:1])


def test_where_own_variances_say_nothing_only_differences_count() -> None:
    """The best of ten varies half as much as each of them."""
    rng = np.random.default_rng(5)
    found = [
        differences([estimate(mean, 1.0, 8, 0.99) for mean in rng.normal(50, 1, (5, 10)).max(axis=1)], 0.99)
        for _ in range(RUNS)
    ]
    means, widths = (np.array([getattr(one, name) for one in found]) for name in ("mean", "half_width"))
    assert np.mean(np.abs(means - means.mean()) <= widths) >= 0.97
    assert widths.mean() == pytest.approx(student(0.99, 4) * means.std(ddof=1), rel=0.1)


def test_correlated_samples_get_a_wider_interval() -> None:
    rng = np.random.default_rng(3)
    samples = 50 + autoregressive(rng, 2000)
    naive = student(0.99, 1999) * samples.std(ddof=1) / math.sqrt(2000)
    assert mean_rate(samples, np.ones(2000), 0.99).half_width > 1.3 * naive


def test_what_is_only_shifted_between_samples_gets_a_narrower_one() -> None:
    rng = np.random.default_rng(3)
    samples = 50 + edges(rng, 2000)
    naive = student(0.99, 1999) * samples.std(ddof=1) / math.sqrt(2000)
    assert mean_rate(samples, np.ones(2000), 0.99).half_width < 0.1 * naive


def test_few_samples_are_taken_to_be_independent() -> None:
    samples = np.array([9.0, 11.0, 10.0, 10.5, 9.5])
    found = mean_rate(samples, np.ones(5), 0.99)
    assert found.degrees == 4
    assert found.variance == pytest.approx(samples.var(ddof=1) / 5)


def test_the_mean_is_a_rate_and_long_samples_weigh_more() -> None:
    found = mean_rate([10.0, 30.0], [1.0, 3.0], 0.99)
    assert found.mean == 10.0
    assert found.half_width == 0.0
    assert mean_rate([10.0, 0.0], [1.0, 3.0], 0.99).mean == 2.5


def test_student_is_that_of_the_tables() -> None:
    assert student(0.99, 1) == pytest.approx(63.657, abs=1e-3)
    assert student(0.95, 10) == pytest.approx(2.228, abs=1e-3)


def test_runs_that_agree_with_their_own_variance_are_pooled() -> None:
    runs = [Estimate(100.0, 3.0, 1.0, 19), Estimate(101.0, 3.0, 1.0, 19)]
    found = replications(runs, 0.99)
    variance = (0.5 * 1 + 1.0 * 38) / 39
    assert found.mean == 100.5
    assert found.degrees == 39
    assert found.half_width == pytest.approx(student(0.99, 39) * math.sqrt(variance / 2))


def test_runs_that_differ_by_more_count_only_as_runs() -> None:
    runs = [Estimate(100.0, 3.0, 1.0, 19), Estimate(110.0, 3.0, 1.0, 19)]
    found = replications(runs, 0.99)
    assert found.degrees == 3
    assert found.half_width == pytest.approx(5.841 * 5, rel=1e-4)
    found = replications([*runs, Estimate(120.0, 3.0, 1.0, 19)] * 2, 0.99)
    assert found.degrees == 5


def test_a_single_run_has_its_own_interval() -> None:
    only = Estimate(100.0, student(0.99, 19), 1.0, 19)
    assert replications([only], 0.99) == only


def test_runs_that_do_different_things_count_with_what_each_knows() -> None:
    runs = [Estimate(100.0, 3.0, 1.0, 4), Estimate(110.0, 3.0, 3.0, 4)]
    found = replications(runs, 0.99, alike=False)
    assert (found.mean, found.degrees) == (105.0, 8)
    assert found.variance == pytest.approx((1.0 + 3.0) / 4)


def test_runs_without_any_variance_have_none() -> None:
    found = replications([Estimate(100.0, 0.0, 0.0, 19)] * 2, 0.99)
    assert (found.mean, found.half_width, found.relative) == (100.0, 0.0, 0.0)


def test_the_interval_over_runs_holds_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    tries, inside = 400, 0
    for _ in range(tries):
        runs = [mean_rate(50 + autoregressive(rng, 200), np.ones(200), 0.95) for _ in range(2)]
        found = replications(runs, 0.95)
        inside += abs(found.mean - 50) <= found.half_width
    assert inside / tries > 0.95 - 3 * math.sqrt(0.05 * 0.95 / tries)


def test_a_mean_of_zero_is_known_to_no_share() -> None:
    assert Estimate(0.0, 0.0, 0.0, 5).relative == math.inf
