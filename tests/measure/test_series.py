"""Measuring a series: the number of trials and round trips, and which of them count."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count, repeat

import numpy as np
import pytest

from experiments.beowulf import netpipe
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.errors import SimulationError
from netsim.measure.series import SeriesMeasurement
from netsim.measure.simulation import unattended
from netsim.results.curve import CurvePoint
from netsim.results.iteration import Iteration
from netsim.scenario import SeriesRun
from netsim.statistics import student
from netsim.units import MS, US, S

SEVERAL_PORTS = netpipe("dfe570tx", "tulip", 4, "NPtcp").replace(
    {"sizes": (98304, 98305, 98306), "trial_time": "30 ms", "min_iterations": 3, "max_iterations": 3}
)


class Trips(SeriesRun):
    """Round trips of `times` (ps) each; each delivers a byte."""

    def __init__(self, times: Iterator[int], sizes: tuple[int, ...] = (1000,), trials: int = 3) -> None:
        self.env = Environment()
        self.times, self.sizes, self.trials, self.trial_time = times, sizes, trials, 250 * MS
        self.trips = self.audits = 0

    def round_trip(self, size: int, then: Callable[[], None]) -> None:
        def ended(_: object) -> None:
            self.trips += 1
            then()

        time = next(self.times)
        if time >= 0:
            self.env.call_in(time, ended)

    def accounts(self) -> Accounts:
        return Accounts(elapsed=self.env.now, delivered=self.trips)

    def audit(self) -> None:
        self.audits += 1

    def waiting_for(self) -> str:
        return "an echo is waited for"


def measured(trips: Trips, precision: float = 0.002, limit: int | None = None) -> Iteration:
    return SeriesMeasurement(trips, precision, 0.99, limit, lambda: None).iterate()


def test_round_trips_that_are_alike_end_the_first_trial() -> None:
    trips = Trips(repeat(200 * US), sizes=(1, 1000, 10**6))
    found = measured(trips)
    assert trips.trips == 16 + 16 + 4
    assert found.reached
    assert found.curve[1000].mean == pytest.approx(1000 * 8 / 100e-6)
    assert found.curve[1000].half_width < 1e-9
    assert list(found.curve) == [1, 1000, 10**6]
    assert trips.audits == 1


def test_the_fastest_point_is_the_estimate_and_its_window_counts() -> None:
    found = measured(Trips(repeat(200 * US), sizes=(1, 1000)))
    assert found.estimate == found.curve[1000]
    assert found.window.elapsed == 16 * 200 * US
    assert found.simulated == 32 * 200 * US


def test_each_iteration_reports_its_own_best_point() -> None:
    """Frames of several ports overtake each other, so iterations differ, and so do their best points."""
    found = unattended(SEVERAL_PORTS, precision=0.05)
    assert found.throughput == pytest.approx(np.mean(found.iterations))
    assert found.throughput > max(point.throughput for point in found.curve)
    spread = np.std(found.iterations, ddof=1) / math.sqrt(3)
    assert found.half_width == pytest.approx(student(0.99, 2) * spread)


def test_a_trial_makes_two_round_trips_even_if_only_one_fits() -> None:
    trips = Trips(repeat(2 * S))
    assert measured(trips).reached
    assert trips.trips == 2


def test_a_trial_makes_as_many_as_fit() -> None:
    trips = Trips(repeat(60 * MS))
    measured(trips, precision=0)
    assert trips.trips == 3 * 4  # three trials; a fifth round trip would end after 300 ms


def test_a_limit_caps_a_trial() -> None:
    trips = Trips(repeat(60 * MS), trials=1)
    measured(trips, precision=0, limit=130 * MS)
    assert trips.trips == 2


def test_round_trips_that_differ_are_tried_again_and_the_best_trial_counts() -> None:
    slow, better, best = [100 * MS, 130 * MS], [100 * MS, 110 * MS], [80 * MS, 100 * MS]
    trips = Trips(iter([*slow, *best, *better]))
    found = measured(trips)
    assert trips.trips == 6
    assert found.estimate.mean == pytest.approx(1000 * 8 / 45e-3)
    assert not found.reached


def test_what_was_slow_once_is_tried_again_and_no_more() -> None:
    trips = Trips(iter([*[100 * MS, 130 * MS], *[100 * MS] * 2, -1]))
    found = measured(trips)
    assert found.reached
    assert found.estimate.mean == pytest.approx(1000 * 8 / 50e-3)


def test_noise_is_repeated_until_the_mean_is_known() -> None:
    trips = Trips((200 * US + (n * 7919) % 11 * US for n in count()), trials=1)
    found = measured(trips)
    assert found.reached
    assert trips.trips > 16
    assert 0 < found.estimate.relative < 0.002


def test_a_message_that_gets_nowhere_is_an_error() -> None:
    with pytest.raises(SimulationError, match=r"nothing can happen any more; an echo is waited for"):
        measured(Trips(iter([US, -1])))


def test_so_is_one_that_takes_too_long() -> None:
    """Longer than any retransmission timer."""
    trips = Trips(iter([US, 241 * S]))
    with pytest.raises(SimulationError, match=r"nothing was delivered for 240 s; an echo is waited for"):
        measured(trips)


def test_one_that_takes_as_long_as_a_timer_is_waited_for() -> None:
    assert measured(Trips(iter([US, *[239 * S] * 5]), trials=1)).estimate.mean > 0


def test_a_point_of_the_curve() -> None:
    point = CurvePoint(1000, 100e-6, 1e-6)
    assert point.throughput == pytest.approx(80e6)
