"""Requests and responses on any machines: nothing is lost or invented, Little's law holds for single ones, their stages
add up to their time, no bound is exceeded, and no added cost makes the closed form faster."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import CLIENTS
from netsim.engine import Environment
from netsim.workload.netperf.requests_run import RequestResponse
from tests.property import catalogued
from tests.property.test_what_if import costlier

DURATION = 2 * 10**10  # ps
bursts = st.tuples(catalogued.conversations(250), st.integers(0, 12), st.booleans()).map(
    lambda one: one[0].replace({"burst": one[1], "nodelay": one[2] and one[0].test == "TCP_RR"})
)


def ran(test: ns.Netperf, seed: int) -> RequestResponse:
    run = test.build(Environment(seed))
    assert isinstance(run, RequestResponse)
    run.start()
    run.env.run(DURATION)
    run.audit()
    return run


@settings(max_examples=40, deadline=None)
@given(st.one_of(bursts, catalogued.conversations()), st.integers(0, 2**32))
def test_nothing_is_lost_or_made_up(test: ns.Netperf, seed: int) -> None:
    run = ran(test, seed)
    accounts, log = run.accounts(), run.response_log
    assert accounts == ran(test, seed).accounts()
    assert log is not None
    assert len(log.times) == run.delivered == accounts.delivered
    assert sum(log.times) == sum(accounts.stays.values())
    assert [sum(parts) for parts in zip(*log.stages, strict=True)] == list(log.times)
    assert all(time >= 0 for stage in log.stages[1:] for time in stage)


@settings(max_examples=40, deadline=None)
@given(st.one_of(bursts, catalogued.conversations()), st.integers(0, 2**32))
def test_no_bound_is_beaten(test: ns.Netperf, seed: int) -> None:
    """Neither for a single transaction nor for all, except those whose first frames left before the time began."""
    run, bounds = ran(test, seed), test.bounds()
    log, least = run.response_log, bounds.demand[Resource("", CLIENTS)] * test.outstanding
    assert log is not None
    assert all(time >= least for time in log.times)
    assert run.delivered <= DURATION / max(bounds.demand.values()) + 1


@settings(max_examples=20, deadline=None)
@given(catalogued.conversations(), st.data())
def test_no_cost_makes_the_closed_form_faster(test: ns.Netperf, data: st.DataObject) -> None:
    before = test.bounds()
    for cost in data.draw(st.lists(st.sampled_from(costlier(test)), min_size=20, max_size=20, unique=True)):
        after = test.replace(cost.address, cost.value).bounds()
        assert after.limit <= before.limit, cost
        assert not {name for name, ps in before.demand.items() if ps > after.demand[name]}, cost
