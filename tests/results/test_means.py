"""Quotients and differences of two means: from pairs of samples if there are any."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
import pytest

import netsim as ns
from netsim.measure import side_by_side
from netsim.measure.simulation import simulate_together
from netsim.results import means
from netsim.results.samples import Samples
from netsim.statistics import student
from netsim.units import MS, S
from tests.closed_desk import Desk

PC = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
SLOW = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x")
TEST = ns.Netperf("TCP_STREAM", PC, SLOW)
SHORT: dict[str, Any] = {"precision": 0.05}
STEP = 10 * MS


def samples(amounts: np.ndarray[Any, Any], step: int = STEP, first: int = 0, origin: int = 0) -> Samples:
    """Samples of equal length with these amounts."""
    edges = tuple(origin + step * (first + number) for number in range(len(amounts) + 1))
    sums = tuple(int(one) for one in np.concatenate([[0], np.cumsum(np.round(amounts))]))
    return Samples(origin, step, first, edges, sums, {"host": tuple(edge // 2 for edge in edges)})


def common(seed: int, own: float, number: int = 200) -> list[Samples]:
    """Two iterations of two runs: the shared part varies by 10 %, each one's own by `own`."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(2):
        shared = 1 + 0.1 * rng.normal(size=number)
        found += [samples(1e6 * rate * (shared + own * rng.normal(size=number))) for rate in (1.2, 1.0)]
    return found


def test_what_two_runs_share_is_no_error_of_their_quotient() -> None:
    one, other = (means.traces(common(1, 0.01)[run::2]) for run in (0, 1))
    paired = means.quotient(one, other, 0.99, alike=True)
    assert paired is not None
    alone = hypot(*(means.means(own, 0.99, alike=True).relative for own in (one, other)))
    assert paired.mean == pytest.approx(1.2, abs=paired.half_width)
    assert paired.relative < 0.25 * alone


def test_intervals_of_quotients_hold_and_are_narrow() -> None:
    """At least 97 of 100, and at most 1.5 times as wide as the spread."""
    pairs = [[means.traces(common(seed, 0.02, 150)[run::2]) for run in (0, 1)] for seed in range(200)]
    found = [means.quotient(one, other, 0.99, alike=True) for one, other in pairs]
    values, widths = (np.array([getattr(estimate, name) for estimate in found]) for name in ("mean", "half_width"))
    assert np.mean(np.abs(values - 1.2) <= widths) >= 0.97
    assert widths.mean() < 1.5 * student(0.99, 199) * values.std(ddof=1)


def test_a_difference_is_as_well_known_as_the_quotient() -> None:
    """For 120 and 100: a hundredth of the quotient corresponds to a difference of about 1.1."""
    one, other = (means.traces(common(3, 0.02)[run::2]) for run in (0, 1))
    quotient = means.quotient(one, other, 0.99, alike=True)
    difference = means.difference(one, other, (120.0, 100.0), 0.99, alike=True)
    assert quotient is not None
    assert difference is not None
    assert difference.mean == pytest.approx(20)
    assert difference.half_width == pytest.approx(110 * quotient.relative, rel=0.25)


def test_samples_of_one_grid_are_paired_whatever_their_length() -> None:
    rng = np.random.default_rng(2)
    amounts = 1e6 * (1 + 0.1 * rng.normal(size=240))
    long = amounts.reshape(-1, 2).sum(axis=1)
    one, other = means.traces([samples(amounts[20:], first=20)]), means.traces([samples(long, 2 * STEP)])
    found = means.quotient(one, other, 0.99, alike=True)
    assert found is not None
    assert found.relative < 0.2 * one[0].estimate(0.99, 12).relative


def test_the_quotient_is_that_of_the_means() -> None:
    """The mean of the quotients of iterations that differ would be larger, in both directions."""
    one, other = ([samples(np.full(50, rate * 1e6)) for rate in rates] for rates in ((4, 2), (2, 4)))
    there = means.quotient(means.traces(one), means.traces(other), 0.99, alike=True)
    back = means.quotient(means.traces(other), means.traces(one), 0.99, alike=True)
    assert there is not None
    assert back is not None
    assert (there.mean, back.mean) == (pytest.approx(1), pytest.approx(1))
    assert there.half_width > 1


def test_iterations_that_keep_their_quotient_tell_it_exactly() -> None:
    one, other = ([samples(np.full(50, each * rate * 1e6)) for rate in (1, 3)] for each in (3, 2))
    found = means.quotient(means.traces(one), means.traces(other), 0.99, alike=True)
    assert found is not None
    assert found.mean == pytest.approx(1.5)
    assert found.half_width == pytest.approx(0, abs=1e-9)


def test_work_is_paired_where_most_of_it_is_common() -> None:
    """Both do the same work, one in two thirds of the time."""
    rng = np.random.default_rng(5)
    times = 1 + 0.1 * rng.normal(size=400)
    one, other = (worked(times[:number] * each) for number, each in ((400, 1.0), (300, 1.5)))
    pair = means.of_work(one, other)
    assert pair is not None
    assert pair[0].mean == pytest.approx(300 / (sum(times[:300]) * 0.01))  # the common work
    found = means.quotient([pair[0]], [pair[1]], 0.99, alike=True)
    alone = hypot(*(trace.estimate(0.99, 16).relative for trace in pair))
    assert found is not None
    assert found.mean == pytest.approx(1.5, abs=found.half_width)
    assert found.relative < 0.8 * alone
    assert means.of_work(one, worked(times[:150])) is None


def worked(times: np.ndarray[Any, Any]) -> Samples:
    """A sample for each piece of work, which takes one of these times (in 10 ms)."""
    edges = tuple(int(one) for one in np.concatenate([[0], np.cumsum(np.round(times * STEP))]))
    return Samples(0, STEP, 0, edges, tuple(range(len(edges))), {})


@pytest.mark.parametrize(
    "other",
    [
        [samples(np.full(100, 1e6), origin=1)],
        [samples(np.full(30, 1e6))],
        [samples(np.full(100, 1e6), first=80)],
        [samples(np.full(100, 1e6), step=3 * STEP // 2)],
        [samples(np.full(100, 1e6))] * 2,
        [samples(np.zeros(100))],
        [],
    ],
    ids=["another beginning", "a short run", "another time", "another grid", "more iterations", "nothing",
         "no samples"],
)
def test_what_are_no_pairs_is_told(other: list[Samples]) -> None:
    one = means.traces([samples(np.full(100, 1e6))])
    assert means.quotient(one, means.traces(other), 0.99, alike=True) is None


# ---- results ----


def test_runs_with_the_same_seed_are_paired() -> None:
    one, again = ns.simulate(TEST, **SHORT), ns.simulate(TEST, **SHORT)
    assert one.quotient(again) == (1.0, 0.0)
    assert one.compare(again).half_width == 0.0
    assert one.compare(again).cpu_half_width("sender") == 0.0
    other = ns.simulate(TEST, seed=2, **SHORT)
    value, half_width = one.quotient(other)
    assert value == one.throughput / other.throughput
    assert half_width == value * hypot(one.half_width / one.throughput, other.half_width / other.throughput)


def test_a_saved_result_is_paired_as_well() -> None:
    one, other = (ns.simulate(test, **SHORT) for test in (TEST, TEST.replace("receiver.processors.clock", "170 MHz")))
    saved = ns.Result.from_json(other.to_json())
    assert saved.samples == other.samples
    assert one.quotient(saved) == one.quotient(other)


def test_a_closed_test_is_paired_by_its_work() -> None:
    """Clients do the same work, at other times."""
    desks = [Desk(duration=2 * S), Desk(duration=2 * S, way=2 * MS)]
    fast, slow = (ns.simulate(desk, precision=0, seed=3) for desk in desks)
    value, half_width = fast.quotient(slow)
    assert value == pytest.approx(fast.throughput / slow.throughput, rel=0.05)
    alone = hypot(fast.half_width / fast.throughput, slow.half_width / slow.throughput)
    assert half_width / value < alone


def test_closed_tests_with_little_work_in_common_are_independent() -> None:
    """One is so much faster that it had done the other's work before its samples begin."""
    desks = [Desk(duration=2 * S, way=0, orders=0.0), Desk(duration=8 * S, way=300 * MS, orders=0.0)]
    fast, slow = (ns.simulate(desk, precision=0) for desk in desks)
    value, half_width = fast.quotient(slow)
    assert value == fast.throughput / slow.throughput
    assert half_width == value * hypot(fast.half_width / fast.throughput, slow.half_width / slow.throughput)
    back, _ = slow.quotient(fast)
    assert back == pytest.approx(1 / value, rel=1e-12)
    assert fast.compare(slow).half_width == hypot(fast.half_width, slow.half_width)


def test_closed_tests_over_the_same_time_are_independent_if_one_does_twice_the_work() -> None:
    """Their samples lie on one grid of times, but do not hold the same work."""
    given: dict[str, Any] = {"precision": 0, "warm_up": "100 ms", "sample": "10 ms"}
    fast, slow = (ns.simulate(Desk(duration=2 * S, way=way), **given) for way in (0, 20 * MS))
    assert fast.throughput > 2 * slow.throughput
    value, half_width = fast.quotient(slow)
    assert value == fast.throughput / slow.throughput
    assert half_width == value * hypot(fast.half_width / fast.throughput, slow.half_width / slow.throughput)


def test_runs_are_lengthened_together_until_what_is_asked_is_known() -> None:
    tests = [TEST, TEST.replace("receiver.processors.clock", "170 MHz")]
    wanted, widths = 0.004, []

    def excess(results: Any) -> float:
        widths.append(results[0].quotient(results[1])[1])
        return widths[-1] / wanted

    one, other = simulate_together(tests, excess)
    assert widths[-1] <= wanted
    assert all(width > wanted for width in widths[:-1]) or not one.settled
    assert [samples.step for samples in one.samples] == [samples.step for samples in other.samples]
    limited = simulate_together(tests, lambda _: 9.0, limit="400 ms")
    assert all(result.simulated <= 2 * 0.4 for result in limited)


def test_only_what_is_asked_about_is_lengthened() -> None:
    tests = [TEST.replace("receiver.processors.clock", clock) for clock in ("166 MHz", "170 MHz", "200 MHz")]
    wide = iter([2.0, 2.0])
    one, other, third = simulate_together(tests, lambda _: next(wide, 0.0), lambda _: {0, 2})
    assert one.simulated == pytest.approx(third.simulated, rel=0.01)
    assert one.simulated > 1.5 * other.simulated


def test_a_series_which_no_time_makes_more_precise_is_repeated() -> None:
    test = ns.NetPipe(PC, SLOW, sizes=["1 KiB"])
    wide = iter([2.0, 1.1])
    (result,) = simulate_together([test], lambda _: next(wide, 0.0))
    assert len(result.iterations) == 3
    assert result.iterations[0] == ns.simulate(test).throughput


def test_iterations_that_differ_get_further_ones_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "differ", lambda _: True)
    wide = iter([2.0, 0.0])
    (result,) = simulate_together([TEST], lambda _: next(wide))
    shorter = ns.simulate(TEST, precision=0.5).simulated
    assert len(result.iterations) == 3
    assert result.simulated == pytest.approx(1.5 * shorter, rel=0.1)
