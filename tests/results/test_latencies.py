"""Percentiles and their intervals, against known distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netsim.results.latencies import Latencies, Percentile, Responses, latencies
from netsim.statistics import Array

CONFIDENCE = 0.95


def found(*runs: Array) -> Latencies:
    """The latencies of runs of times (us), one iteration each."""
    result = latencies([Responses(1e6 * run, {"half": 5e5 * run, "rest": 5e5 * run}) for run in runs], CONFIDENCE)
    assert result is not None
    return result


def by_percent(result: Latencies) -> dict[float, Percentile]:
    return {one.percent: one for one in result.percentiles}


def correlated(rng: np.random.Generator, number: int, keeps: float) -> Array:
    """A first-order normal process, each value mapped to a quantile of the exponential distribution."""
    noise = rng.normal(size=number)
    values = np.empty(number)
    values[0] = noise[0]
    for at in range(1, number):
        values[at] = keeps * values[at - 1] + math.sqrt(1 - keeps**2) * noise[at]
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in values])
    times: Array = -np.log(1 - below)
    return times


@pytest.mark.parametrize(("keeps", "percent"), [(0.0, 50.0), (0.0, 99.0), (0.9, 50.0), (0.9, 90.0)])
def test_the_interval_holds_the_percentile_as_often_as_it_says(keeps: float, percent: float) -> None:
    """For exponential times, independent or correlated: 95 % of 150 are 142, and 3 standard deviations less 134."""
    truth, hits = -math.log(1 - percent / 100), 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        one = by_percent(found(*(correlated(rng, 2000, keeps) for _ in range(2))))[percent]
        hits += one.low <= truth * 1e-6 <= one.high
    assert hits >= (134 if not keeps else 126)


def steps(times: Array, limits: tuple[float, ...]) -> Array:
    """Times that are all raised to the next of these limits: many are equal."""
    found: Array = np.array([*limits, 99.0])[np.searchsorted(limits, times)]
    return found


ATOMS = {  # the truth, and the limits: quantiles of the exponential distribution, in the same order
    "just below": (99.0, 0, (0.9905,)),
    "just above": (99.0, 1, (0.9895,)),
    "a thin one": (90.0, 2, (0.3, 0.895, 0.905)),
    "of several": (90.0, 1, (0.6, 0.902)),
}


@pytest.mark.parametrize("keeps", [0.0, 0.8])
@pytest.mark.parametrize("name", ATOMS)
def test_the_interval_holds_the_percentile_where_many_times_are_equal(name: str, keeps: float) -> None:
    """At least 97 of 100 for 99 %, and few are unknown: also where the estimate is not the percentile, but the
    time next to it."""
    percent, truth, shares = ATOMS[name]
    limits = tuple(-math.log(1 - share) for share in shares)
    right, hits, known = (*limits, 99.0)[truth] * 1e-6, 0, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        runs = [steps(exponential(rng, 1500, keeps), limits) for _ in range(2)]
        result = latencies([Responses(1e6 * run, {}) for run in runs], 0.99)
        assert result is not None
        if one := by_percent(result).get(percent):
            known += 1
            hits += one.low <= right * (1 + 1e-9) and right * (1 - 1e-9) <= one.high
    assert hits >= 0.97 * known
    assert known >= 85


def exponential(rng: np.random.Generator, number: int, keeps: float) -> Array:
    return correlated(rng, number, keeps) if keeps else rng.exponential(size=number)


@pytest.mark.parametrize("percent", [50.0, 95.0])
def test_intervals_of_equal_times_are_hardly_wider_than_the_spread(percent: float) -> None:
    """At most 1.5 times as wide as the spread of the estimate over 200 seeds; times are multiples of 0.02."""
    found = []
    for seed in range(200):
        result = latencies([Responses(np.ceil(50 * np.random.default_rng(seed).exponential(size=3000)), {})], 0.99)
        assert result is not None
        found.append(by_percent(result)[percent])
    spread = np.std([one.time for one in found], ddof=1)
    assert np.mean([one.high - one.low for one in found]) < 1.5 * 2 * 2.58 * spread


def test_where_no_time_is_above_the_percentile_enough_have_to_be_below() -> None:
    """The rule of three: of 2000 independent times none would be above by chance. Of times that hardly change it
    might, so nothing is known."""
    rng = np.random.default_rng(4)
    fast, slow = np.where(rng.random(2000) < 0.5, 1.0, 2.0), np.repeat([1.0, 2.0, 1.0, 2.0], 500)
    assert by_percent(found(fast))[99] == Percentile(99, *[pytest.approx(2e-6)] * 3)
    assert 99 not in by_percent(found(slow))


def test_what_is_not_known_is_left_out() -> None:
    """At least ten transactions have to be beyond a percentile."""
    times = np.random.default_rng(1).exponential(size=900)
    assert by_percent(found(times)).keys() == {50, 90, 95}
    assert by_percent(found(times[:12])).keys() == set()
    assert by_percent(found(times[:99])).keys() == {50}
    assert by_percent(found(times[:100])).keys() == {50, 90}
    assert latencies([], CONFIDENCE) is None


def test_a_median_that_is_not_known_is_no_other_percentile() -> None:
    slow = Percentile(90.0, 5.0, 4.0, 6.0)
    assert Latencies(9, 2.0, 1.0, 6.0, (slow,), (), ()).median == 2.0
    assert Latencies(9, 2.0, 1.0, 6.0, (Percentile(50.0, 1.5, 1.0, 2.0), slow), (), ()).median == 1.5


@pytest.mark.parametrize(("times", "median"), [([3.0], 3.0), ([2.0, 8.0], 5.0), ([1.0, 2.0, 9.0], 2.0),
                                               ([9.0, 2.0, 1.0, 4.0], 3.0)])  # fmt: skip
def test_a_few_transactions_have_a_median_each(times: list[float], median: float) -> None:
    """The middle fifth of two or of four transactions has none: the two in the middle count."""
    stages = found(np.array(times)).stages
    assert [stage.median for stage in stages] == [pytest.approx(median / 2 * 1e-6)] * 2
    assert [stage.tail for stage in stages] == [pytest.approx(max(times) / 2 * 1e-6)] * 2


def test_equal_times_are_known() -> None:
    result = found(np.full(2000, 7.0))
    assert result.percentiles[0] == Percentile(50, *[pytest.approx(7e-6)] * 3)
    ((start, end, count),) = result.histogram
    assert start <= 7e-6 < end < 1.03 * start
    assert count == 2000
    assert [(stage.median, stage.tail) for stage in result.stages] == [(pytest.approx(3.5e-6),) * 2] * 2


def test_the_histogram_has_them_all_on_one_grid() -> None:
    rng = np.random.default_rng(2)
    one, other = (found(rng.exponential(size=5000) + 1) for _ in range(2))
    assert sum(count for *_, count in one.histogram) == 5000
    edges = [{(start, end) for start, end, _ in each.histogram} for each in (one, other)]
    assert len(edges[0] & edges[1]) > 0.8 * len(edges[0])


def test_the_tail_is_the_slowest_hundredth() -> None:
    result = found(np.concatenate([np.full(990, 1.0), np.full(10, 9.0)]))
    assert [stage.tail for stage in result.stages] == [pytest.approx(4.5e-6, rel=0.02)] * 2
    assert [stage.median for stage in result.stages] == [pytest.approx(0.5e-6)] * 2
    assert (result.least, result.most, result.count) == (pytest.approx(1e-6), pytest.approx(9e-6), 1000)
