"""Whatever comes and goes, and whenever: the number over time equals the time of all stays; losses are noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.engine.population import Population
from netsim.engine.transactions import Transactions
from netsim.errors import ConservationError

# Time after the previous step (ps; simultaneous ones are likely), and the rank of the customer that leaves, if any.
STEPS = st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 30)), min_size=1, max_size=60)


def visited(steps):
    """A population after these steps, the arrival times of those present, and the stays of those that left."""
    env = Environment()
    population, here, stays = Population(env, "desk"), [], []
    for gap, who in steps:
        env.run(env.now + gap)
        if who is None or not here:
            here.append(population.arrive())
        else:
            stays.append(population.depart(here.pop(who % len(here))))
    env.run(env.now + 3)
    return env, population, here, stays


@given(STEPS)
def test_the_area_is_the_stays(steps):
    env, population, here, stays = visited(steps)
    population.audit(len(here))
    assert population.area_until(env.now) == sum(stays) + sum(env.now - came for came in here)
    assert (population.inside, population.departures, population.stayed) == (len(here), len(stays), sum(stays))


@given(STEPS, st.integers(0, 30))
def test_a_lost_customer_is_missed(steps, who):
    """The audit notices it when it counts those present."""
    _, population, here, _ = visited([*steps, (1, None)])
    here.pop(who % len(here))
    with pytest.raises(ConservationError, match=f"{len(here) + 1} came and did not leave, {len(here)} are there"):
        population.audit(len(here))


@given(STEPS, st.integers(0, 30))
def test_nobody_leaves_twice(steps, who):
    """As long as no other arrived at the same time, which would then be the one refused."""
    env, population, here, _ = visited([*steps, (1, None)])
    came = here[who % len(here)]
    for _ in range(here.count(came)):
        population.depart(came)
    with pytest.raises(ConservationError, match=f"came at {came} ps"):
        population.depart(came)
    population.audit(len(here) - here.count(came))
    assert population.area_until(env.now) >= population.stayed


@given(STEPS, st.integers(1, 4))
def test_closed_transactions_add_up(steps, clients):
    """Each step ends a transaction in progress and begins another, of a kind that depends on both."""
    env = Environment()
    accounts, kinds = Transactions(env, "abc", clients), "abcab"
    under_way = [(kinds[client], accounts.begin(kinds[client])) for client in range(clients)]
    for gap, who in steps:
        env.run(env.now + gap)
        client = (who or 0) % clients
        accounts.end(*under_way[client])
        kind = kinds[gap % 5]
        under_way[client] = (kind, accounts.begin(kind))
        accounts.audit()
    assert accounts.completed == sum(accounts.counts().values()) == len(steps)
    assert accounts.all.area_until(env.now) == clients * env.now
    kind, began = under_way[0]
    accounts.end(kind, began)
    with pytest.raises(ConservationError, match=f"{clients} of {clients} clients have begun, {clients - 1} have"):
        accounts.audit()
