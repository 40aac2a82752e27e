"""Mean-value analysis against closed forms, its bounds, and a simulation of the same network."""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise, product

import numpy as np
import pytest

import netsim as ns
from netsim import queueing
from netsim.engine import Environment
from netsim.engine.population import Population
from netsim.errors import ScenarioError
from netsim.queueing import Station, asymptotes, balanced_job_bounds
from netsim.statistics import student

MS = 10**9  # ps


def birth_and_death(n, servers, service, think):
    """M/M/c//N by its own balance equations: (throughput, mean number of those not thinking)."""
    weights = [1.0]
    for number in range(n):
        weights.append(weights[-1] * (n - number) / think * service / min(number + 1, servers))
    likely = np.array(weights) / math.fsum(weights)
    busy = sum(p * min(number, servers) for number, p in enumerate(likely))
    return busy / service, float(likely @ np.arange(n + 1))


# --- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "service", "think"), [*product([1, 2, 7, 60], [0.5, 2.0], [0.0, 1.0, 30.0])])
def test_one_server_is_the_machine_repairman(n, service, think):
    """Without thinking, all customers are at the repairman."""
    found = ns.mva({"repairman": service}, n, think)
    rate, there = birth_and_death(n, 1, service, think) if think else (1 / service, n)
    assert found.throughput == pytest.approx(rate, rel=1e-12)
    assert found.queue["repairman"] == pytest.approx(there, rel=1e-12)
    assert found.response == pytest.approx(n / rate - think, rel=1e-9)
    assert found.utilisation["repairman"] == pytest.approx(rate * service, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "servers", "service", "think"), [*product([1, 3, 20, 60], [2, 4, 8], [1.0], [0.2, 5.0]), (400, 16, 1, 3.0)]
)
def test_several_servers_are_an_m_m_c_queue_of_a_finite_population(n, servers, service, think):
    """Also where they are almost always busy, so that an empty station is next to impossible."""
    found = ns.mva({"shop": Station(service, servers)}, n, think)
    rate, there = birth_and_death(n, servers, service, think)
    assert found.throughput == pytest.approx(rate, rel=1e-11)
    assert found.queue["shop"] == pytest.approx(there, rel=1e-11)
    assert found.utilisation["shop"] == pytest.approx(rate * service / servers, rel=1e-11)


def test_a_delay_is_a_time_to_think():
    demands = {"cpu": Station(0.3, 2), "disk": 0.5}
    thinking = ns.mva(demands, 9, 2.0)
    delayed = ns.mva(demands | {"network": Station(1.5, math.inf)}, 9, 0.5)
    assert delayed.throughput == pytest.approx(thinking.throughput, rel=1e-13)
    assert delayed.response == pytest.approx(thinking.response + 1.5, rel=1e-13)
    assert delayed.queue["network"] == pytest.approx(1.5 * delayed.throughput)
    assert "network" not in delayed.utilisation


@pytest.mark.parametrize(("n", "stations", "demand"), [*product([1, 5, 60], [1, 2, 6], [1.0, 1e9])])
def test_alike_stations_serve_as_one_would_expect(n, stations, demand):
    """X = n / (n + m - 1) / D, in whatever unit."""
    found = ns.mva({str(one): demand for one in range(stations)}, n)
    assert found.throughput == pytest.approx(n / (n + stations - 1) / demand, rel=1e-13)
    assert list(found.queue.values()) == pytest.approx([n / stations] * stations)


def by_convolution(stations, n, think):
    """Buzen's algorithm: the throughput as a ratio of normalisation constants, with fractions that lose nothing."""
    constants = np.array([think**k / math.factorial(k) for k in range(n + 1)])
    for demand, servers in stations:
        own = [1.0]
        for k in range(1, n + 1):
            own.append(own[-1] * demand / min(k, servers))
        constants = np.convolve(constants, own)[: n + 1]
    return constants[n - 1] / constants[n]


@pytest.mark.parametrize("seed", range(20))
def test_networks_of_every_kind_agree_with_their_normalisation_constants(seed):
    random = np.random.default_rng(seed)
    stations = [(random.uniform(0.05, 1), int(random.integers(1, 5))) for _ in range(random.integers(1, 6))]
    n, think = int(random.integers(1, 40)), random.choice([0.0, random.uniform(0, 5)])
    found = ns.mva({str(number): Station(*one) for number, one in enumerate(stations)}, n, think)
    assert found.throughput == pytest.approx(by_convolution(stations, n, think), rel=1e-10)
    assert math.fsum(found.queue.values()) + think * found.throughput == pytest.approx(n, rel=1e-10)


# --- bounds ----------------------------------------------------------------------------------------------------------


def networks(seed, most_servers):
    random = np.random.default_rng(seed)
    for _ in range(60):
        stations = {
            str(number): Station(random.uniform(0, 1), random.choice([math.inf, *range(1, most_servers + 1)]))
            for number in range(random.integers(1, 6))
        }
        yield stations, int(random.integers(1, 50)), random.choice([0.0, random.uniform(0, 20)])


def test_asymptotes_bracket_it():
    for stations, n, think in networks(1, 4):
        limits, rate = asymptotes(stations, n, think), ns.mva(stations, n, think).throughput
        assert limits.low * (1 - 1e-12) <= rate <= limits.high * (1 + 1e-12)


def test_balanced_job_bounds_bracket_it_closer():
    closer = 0
    for stations, n, think in networks(2, 1):
        wide, limits = asymptotes(stations, n, think), balanced_job_bounds(stations, n, think)
        rate = ns.mva(stations, n, think).throughput
        assert limits.low * (1 - 1e-12) <= rate <= limits.high * (1 + 1e-12)
        assert wide.low <= limits.low * (1 + 1e-12)
        assert limits.high <= wide.high * (1 + 1e-12)
        closer += limits.high - limits.low < 0.5 * (wide.high - wide.low)
    assert closer > 20


@pytest.mark.parametrize("n", [1, 4, 30])
def test_balanced_networks_meet_balanced_job_bounds(n):
    limits = balanced_job_bounds({"a": 2.0, "b": 2.0, "c": 2.0}, n)
    rate = ns.mva({"a": 2.0, "b": 2.0, "c": 2.0}, n).throughput
    assert (limits.low, limits.high) == (pytest.approx(rate), pytest.approx(rate))


def test_it_comes_from_one_asymptote_and_goes_to_the_other():
    demands = {"cpu": Station(0.8, 2), "disk": 0.5, "network": Station(3.0, math.inf)}
    rates = [ns.mva(demands, n, 1.0).throughput for n in range(1, 80)]
    assert rates[0] == pytest.approx(1 / 5.3)
    assert rates[0] == pytest.approx(asymptotes(demands, 1, 1.0).high)
    assert all(later > earlier for earlier, later in pairwise(rates[:30]))
    assert rates[-1] == pytest.approx(2.0, rel=1e-6)
    assert asymptotes(demands, 79, 1.0).high == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("demands", "n", "think", "address"),
    [
        ({"cpu": 1.0}, 0, 0.0, "n"),
        ({"cpu": 1.0}, 2.0, 0.0, "n"),
        ({"cpu": 1.0}, True, 0.0, "n"),
        ({"cpu": 1.0}, 1, -1.0, "think"),
        ({"cpu": 1.0}, 1, math.nan, "think"),
        ({"cpu": -1.0}, 1, 0.0, "demand"),
        ({"cpu": math.inf}, 1, 0.0, "demand"),
        ({"cpu": 0.0}, 1, 0.0, "demands"),
        ({}, 1, 0.0, "demands"),
    ],
)
def test_what_is_no_network_is_refused(demands, n, think, address):
    for solve in (ns.mva, asymptotes, balanced_job_bounds):
        with pytest.raises(ScenarioError, match="allowed: ") as error:
            solve(demands, n, think)
        assert error.value.address == address


@pytest.mark.parametrize(("station", "most"), [(1.0, 10**6), (Station(1.0, math.inf), 10**6), (Station(1.0, 2), 10**4)])
def test_too_many_customers_are_refused_at_once(station, most):
    with pytest.raises(ScenarioError, match=rf"^n: {10**9} is not allowed; allowed: a whole number, 1 to {most}$"):
        ns.mva({"a": station}, 10**9)
    assert asymptotes({"a": station}, 10**9).high > 0


@pytest.mark.parametrize("servers", [0, 1.5, -2, math.nan])
def test_servers_are_whole(servers):
    with pytest.raises(ScenarioError, match=r"servers: .* allowed: a whole number"):
        Station(1.0, servers)


def test_balanced_job_bounds_know_of_single_servers_only():
    with pytest.raises(ScenarioError, match="allowed: 1 or"):
        balanced_job_bounds({"cpu": Station(1.0, 2)}, 3)


def test_only_pauses_and_stations_that_nobody_needs():
    demands = {"network": Station(2.0, math.inf), "cpu": Station(0.0, 2)}
    assert ns.mva(demands, 6, 1.0).throughput == pytest.approx(2.0)
    assert ns.mva(demands, 6, 1.0).queue["cpu"] == 0.0
    for limits in (asymptotes(demands, 6, 1.0), balanced_job_bounds(demands, 6, 1.0)):
        assert limits.high == pytest.approx(2.0)


# --- a simulation ----------------------------------------------------------------------------------------------------


class Shop:
    """A station: servers, a queue in front of them, exponential service of a mean length (ps)."""

    def __init__(self, env, name, mean, servers):
        self.env, self.mean, self.servers = env, mean, servers
        self.random = env.stream(name)
        self.population = Population(env, name)
        self.queue, self.busy = deque(), 0
        self.next = None  # the customers' next shop

    def enter(self, _=None):
        self.queue.append(self.population.arrive())
        self._serve()

    def _serve(self):
        if self.queue and self.busy < self.servers:
            self.busy += 1
            self.env.call_in(round(self.random.exponential(self.mean)), self._leave, self.queue.popleft())

    def _leave(self, arrived):
        self.busy -= 1
        self.population.depart(arrived)
        self.next.enter()
        self._serve()

    def audit(self):
        self.population.audit(len(self.queue) + self.busy)


DEMANDS = {"cpu": Station(4.0 * MS, 2), "disk": Station(3.0 * MS), "network": Station(10.0 * MS, math.inf)}
CUSTOMERS = 7
WARM_UP, WINDOW = 10**12, 4 * 10**13  # ps
REPLICATIONS = 12


def simulated(seed):
    """(rounds per ps, and the number at each station), averaged over a window."""
    env = Environment(seed)
    shops = {name: Shop(env, name, one.demand, one.servers) for name, one in DEMANDS.items()}
    ring = list(shops.values())
    for here, there in zip(ring, ring[1:] + ring[:1], strict=True):
        here.next = there
    for _ in range(CUSTOMERS):
        shops["network"].enter()
    env.run(WARM_UP)
    rounds = shops["disk"].population.departures
    areas = {name: shop.population.area_until(WARM_UP) for name, shop in shops.items()}
    env.run(WARM_UP + WINDOW)
    for shop in ring:
        shop.audit()
    there = {name: (shop.population.area_until(env.now) - areas[name]) / WINDOW for name, shop in shops.items()}
    assert sum(there.values()) == pytest.approx(CUSTOMERS, rel=1e-12)
    return (shops["disk"].population.departures - rounds) / WINDOW, there


def test_a_simulation_of_the_same_network_agrees():
    """99.9 % intervals from independent runs contain the exact means, and are narrow."""
    exact = ns.mva(DEMANDS, CUSTOMERS)
    runs = [simulated(seed) for seed in range(REPLICATIONS)]
    found = {"throughput": ([rate for rate, _ in runs], exact.throughput)}
    found |= {name: ([there[name] for _, there in runs], exact.queue[name]) for name in DEMANDS}
    for name, (values, mean) in found.items():
        half = student(0.999, REPLICATIONS - 1) * np.std(values, ddof=1) / math.sqrt(REPLICATIONS)
        assert abs(np.mean(values) - mean) < half < 0.03 * mean, name


@pytest.mark.parametrize("solve", [ns.mva, asymptotes, balanced_job_bounds])
def test_numpy_numbers_are_as_good_as_plain_ones(solve):
    plain = solve({"cpu": 0.25, "disk": Station(0.5), "line": Station(2.0, math.inf)}, 3, 1.0)
    line = Station(np.float32(2), np.float64("inf"))
    same = solve({"cpu": np.float32(0.25), "disk": Station(np.float64(0.5)), "line": line}, np.int64(3), np.float32(1))
    assert repr(same) == repr(plain)


# --- several stations with several servers ---------------------------------------------------------------------------


def test_many_stations_with_several_servers_take_no_longer_than_they_should():
    """Solving the network without each of a dozen, and without each of the others, and so on, would take minutes."""
    stations = {str(number): Station(1 + number / 10, 2 + number % 3) for number in range(12)}
    found = ns.mva(stations | {"twin": stations["4"]}, 30, 1.0)
    exact = by_convolution([(one.demand, one.servers) for one in (*stations.values(), stations["4"])], 30, 1.0)
    assert found.throughput == pytest.approx(exact, rel=1e-11)
    assert math.fsum(found.queue.values()) + found.throughput == pytest.approx(30, rel=1e-11)
    assert found.queue["twin"] == pytest.approx(found.queue["4"], rel=1e-11)


def test_a_network_that_stays_empty_adds_no_steps():
    station, empty = queueing._weights(Station(2.0, 3), 5), queueing._nobody(5)
    assert queueing._convolved(station, empty) is queueing._convolved(empty, station) is station


def balanced(stations, n):
    """The throughput and mean numbers of two stations and a pause of 1, from the rates between all states."""
    (one, two), states = stations, [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    places, rates = {state: number for number, state in enumerate(states)}, np.zeros((len(states), len(states)))
    for a, b in states:
        moves = {(a + 1, b): n - a - b, (a - 1, b + 1): min(a, one.servers) / one.demand,
                 (a, b - 1): min(b, two.servers) / two.demand}
        for to, rate in moves.items():
            if rate:
                rates[places[a, b], places[to]] = rate
    np.fill_diagonal(rates, -rates.sum(axis=1))
    likely = np.linalg.lstsq(np.vstack([rates.T, np.ones(len(states))]), np.eye(len(states) + 1)[-1], rcond=None)[0]
    there = likely @ np.array(states)
    return float(n - there.sum()), there.tolist()


@pytest.mark.parametrize("n", [1, 4, 9])
def test_the_balance_of_all_states_is_the_same(n):
    stations = [Station(0.7, 2), Station(1.3, 3)]
    rate, there = balanced(stations, n)
    found = ns.mva(dict(zip("ab", stations, strict=True)), n, 1.0)
    assert found.throughput == pytest.approx(rate, rel=1e-9)
    assert list(found.queue.values()) == pytest.approx(there, rel=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e12])
def test_very_many_customers_keep_their_digits(unit):
    """Where 16 servers are busy all the time, in whatever unit."""
    found = ns.mva({"a": Station(unit, 16), "b": 0.05 * unit, "c": Station(0.02 * unit, 2)}, 1000, 5.0 * unit)
    assert found.throughput * unit == pytest.approx(16, rel=1e-10)
    assert math.fsum(found.queue.values()) + 5 * 16 == pytest.approx(1000, rel=1e-10)


@pytest.mark.parametrize(
    ("demands", "n", "think", "message"),
    [
        ({"a": "x"}, 1, 0.0, r'demand: "x" is not allowed; allowed: a time, 0 or more'),
        ({"a": None}, 1, 0.0, "demand: null is not allowed; .*"),
        ({"a": 10**400}, 1, 0.0, "demand: 10+.* is not allowed; .*"),
        ({"a": 1.0}, 1, "5", 'think: "5" is not allowed; allowed: a time, 0 or more'),
        ({"a": 1.0}, 1, None, "think: null is not allowed; .*"),
        ([1, 2], 3, 0.0, r'demands: \[1, 2\] is not allowed; allowed: a table of stations, such as {"cpu": 0.002}'),
        (None, 3, 0.0, "demands: null is not allowed; .*"),
        ({"a": 1.0}, 10**400, 0.0, "n: 10+.* is not allowed; allowed: a whole number, 1 to .*"),
        ({"a": 1e308, "b": 1e308}, 3, 0.0, "demands: .* allowed: another unit of time"),
        ({"a": 1e-320}, 10**5, 0.0, "demands: .* allowed: another unit of time"),
    ],
)
def test_what_is_no_number_is_refused(demands, n, think, message):
    for solve in (ns.mva, asymptotes, balanced_job_bounds):
        with pytest.raises(ScenarioError, match=rf"^{message}$"):
            solve(demands, n, think)


def test_servers_are_a_number():
    with pytest.raises(ScenarioError, match=r'^servers: "2" is not allowed; allowed: a whole number, 1 or more, or'):
        Station(1.0, "2")
