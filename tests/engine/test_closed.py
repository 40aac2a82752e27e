"""Closed tests: their transactions, none of them lost, the results of each kind, and the bottleneck."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from html import escape

import pytest

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import LATENCY
from netsim.calibration import closed_form
from netsim.engine import Environment
from netsim.engine.transactions import Mix, Transactions
from netsim.errors import ConservationError, ScenarioError
from netsim.results.bottleneck import bottleneck
from netsim.results.transaction_kinds import TransactionKind, harmonic_mean, kinds
from netsim.topology.ledger import Ledger
from netsim.units import KBYTE_PER_S, MBIT_PER_S, MS, TPS, S
from tests.closed_desk import Desk
from tests.named import by_place, by_resource

# --- random kinds ----------------------------------------------------------------------------------------------------


def drawn(weights, number=20_000, seed=1, name="mix"):
    mix = Mix(Environment(seed), weights, name)
    return [mix.draw() for _ in range(number)]


def test_kinds_come_as_often_as_their_weights_say():
    """Within four standard deviations."""
    found = Counter(drawn({"a": 1, "b": 3, "never": 0, "c": 4}))
    for kind, share in {"a": 0.125, "b": 0.375, "c": 0.5}.items():
        assert found[kind] == pytest.approx(20_000 * share, abs=4 * (20_000 * share * (1 - share)) ** 0.5)
    assert "never" not in found


def test_kinds_are_drawn_from_a_named_stream():
    weights = {"a": 1, "b": 1}
    assert drawn(weights, 3000) == drawn(weights, 3000)
    assert drawn(weights, 3000) != drawn(weights, 3000, seed=2)
    assert drawn(weights, 3000) != drawn(weights, 3000, name="mix client2")


def test_successive_kinds_know_nothing_of_each_other():
    found = drawn({"a": 1, "b": 1})
    alike = sum(one == other for one, other in zip(found[::2], found[1::2], strict=True))
    assert alike == pytest.approx(5000, abs=4 * 50)


def test_one_kind_is_always_it():
    assert set(drawn({"only": 0.1}, 3000)) == {"only"}


@pytest.mark.parametrize("weights", [{}, {"a": 0}, {"a": -1, "b": 2}, {"a": float("nan")}, {"a": float("inf")}])
def test_weights_that_are_no_shares_are_refused(weights):
    with pytest.raises(ScenarioError, match=r"^kinds: weights .* allowed: 0 or more, one of them above 0"):
        Mix(Environment(), weights)


# --- transactions and their audit ------------------------------------------------------------------------------------


@pytest.fixture
def env():
    return Environment()


@pytest.fixture
def two(env):
    """Transactions of two clients: one ends an "a" after 10 ps, and begins a "b"; the other is still in its first."""
    accounts = Transactions(env, ["a", "b"], 2)
    one = accounts.begin("a")
    accounts.begin("a")
    env.run(10)
    assert accounts.end("a", one) == 10
    accounts.begin("b")
    env.run(25)
    return accounts


def test_what_has_ended_is_known_by_kind(two):
    two.audit()
    assert (two.completed, two.counts(), two.stays()) == (1, {"a": 1, "b": 0}, {"a": 10, "b": 0})
    assert two.all.area_until(25) == 50
    two.end("b", 10)
    assert two.stays() == {"a": 10, "b": 15}


def test_a_transaction_that_ends_twice_is_refused(env, two):
    two.end("a", 0)
    env.run(30)
    with pytest.raises(ConservationError, match="transactions a: one leaves that came at 0 ps, and none"):
        two.end("a", 0)


def test_a_transaction_that_ends_as_another_kind_is_refused(two):
    with pytest.raises(ConservationError, match="transactions b: one leaves that came at 0 ps"):
        two.end("b", 0)


def test_a_client_that_begins_nothing_more_is_missed(two):
    two.end("b", 10)
    with pytest.raises(ConservationError, match="2 of 2 clients have begun, 1 have a transaction under way"):
        two.audit()


def test_a_client_that_forgets_a_transaction_and_begins_another_has_two(two):
    two.begin("a")
    with pytest.raises(ConservationError, match="3 of 2 clients have begun, 3 have"):
        two.audit()


@pytest.mark.parametrize(
    ("what", "message"),
    [("inside", "came and did not leave"), ("departures", "departures 3 by kind, 1 of all"), ("stayed", "ps of their")],
)
def test_kinds_add_up_to_all(two, what, message):
    setattr(two.kinds["b"], what, 2)
    with pytest.raises(ConservationError, match=message):
        two.audit()


def test_stays_add_up_to_all(two):
    """Also if each of them is consistent on its own."""
    for one in (two.kinds["a"], two.kinds["b"]):
        one.stayed += 1
        one.area += 1
    with pytest.raises(ConservationError, match="stayed 12 by kind, 10 of all"):
        two.audit()


def test_a_ledger_has_transactions_too(env, two):
    ledger = Ledger(env, {}, [], transactions=two)
    accounts = ledger.read(two.completed, {"other": 3})
    assert accounts.counts == {"other": 3, "events": env.events}
    assert accounts.ended == {"a": 1, "b": 0}
    assert (accounts.stays, accounts.under_way) == ({"a": 10, "b": 0}, 50)
    ledger.audit()
    two.end("b", 10)
    with pytest.raises(ConservationError):
        ledger.audit()


def test_a_run_that_loses_transactions_is_found_out():
    run = Desk(clients=20).build(Environment(1))
    run.start()
    run.env.run(S)
    run.audit()
    _, kind, began = run.queue[0]
    run.transactions.end(kind, began)
    with pytest.raises(ConservationError, match="20 of 20 clients have begun, 19 have"):
        run.audit()


def test_a_run_whose_transactions_never_end_stands_still():
    with pytest.raises(ns.SimulationError, match="nothing can happen any more; the desk is waited for"):
        ns.simulate(Desk(breaks_down=S), precision=0)


# --- units -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return ns.simulate(Desk(), precision=0.01)


def test_units_say_what_they_count():
    assert [unit.each for unit in (MBIT_PER_S, KBYTE_PER_S, TPS)] == [8, 8, 1]
    assert [unit.common for unit in (MBIT_PER_S, KBYTE_PER_S, TPS)] == [MBIT_PER_S, MBIT_PER_S, TPS]


def test_bounds_count_transactions():
    bounds = Bounds(by_resource({"server disks": 4 * MS}), 1, TPS)
    assert bounds.throughput("server disks") == bounds.limit == 250.0
    assert str(bounds).split() == ["server", "disks", "250.00", "TPS"]
    assert Bounds(by_resource({"server disks": 40 * MS}), 10, TPS).limit == 250.0
    assert closed_form(Desk(clients=1)) == pytest.approx(Desk(clients=1).bounds().limit, rel=1e-3)


def test_throughput_is_in_transactions_per_second(result):
    """Numbers that ignore the transactions cut by the window's edges, and numbers that include them."""
    ended = sum(result.counts[f"transactions {kind}"] for kind in ("order", "query"))
    assert result.throughput == pytest.approx(ended / result.elapsed, rel=0.01)
    assert 700 < result.throughput < 1e6 / 875
    assert sum(result.pairs.values()) == pytest.approx(result.throughput, rel=1e-12)
    assert result.performance_efficiency == {"server": pytest.approx(result.throughput / 100 / result.cpu["server"])}


def test_text_is_in_the_tools_unit(result):
    text = str(result)
    rate, unit = text.split("\n")[0].split()[1:3]
    assert (float(rate), unit) == (pytest.approx(result.throughput, abs=0.06), "TPS")
    assert f"pairs    5, each {min(result.pairs.values()):.1f} to {max(result.pairs.values()):.1f} TPS" in text
    html = result._repr_html_()
    assert f"server {result.throughput / 100 / result.cpu['server']:.2f} TPS per % of CPU" in html
    assert "bit/s" not in text + html


def test_phases_are_in_transactions_per_second():
    """One mean for each half, with samples around it."""
    found = ns.simulate(Desk(clients=50, moments=True, duration=4 * S))
    assert [phase.throughput for phase in found.phases] == pytest.approx([found.throughput] * 2, rel=0.05)
    assert found.throughput == pytest.approx(1e6 / 875, rel=0.05)
    assert found.history_frame()["throughput"].mean() == pytest.approx(found.throughput, rel=0.01)
    assert " TPS   start" in str(found)
    assert "phases.0.throughput" in found.to_frame()


# --- kinds -----------------------------------------------------------------------------------------------------------


def hand_made(**changes):
    """Three clients for 10 ms: 4 orders of 6 ms, 6 queries of 1 ms, no visits."""
    given = {
        "elapsed": 10 * MS,
        "delivered": 10,
        "ended": {"order": 4, "query": 6, "visit": 0},
        "stays": {"order": 24 * MS, "query": 6 * MS, "visit": 0},
        "under_way": 30 * MS,
        "busy": {"server processor 0": {"application": 9 * MS}, "server processor 1": {"application": 3 * MS},
                 "client1 processor 0": {"protocol": 2 * MS}},
        "occupied": {"server disks": 7 * MS, "wire segment 0": 5 * MS, "server nic 0 transmitter": 10 * MS},
        "frames": {"wire segment 0": 1000},
    }  # fmt: skip
    given |= changes
    for name in ("busy", "occupied", "frames"):
        given[name] = by_resource(given[name])
    return Accounts(**given | {"drops": by_place(given.get("drops", {}))})


def test_kinds_of_hand_made_books():
    """Kinds without a finished transaction are left out; three clients do 500 orders a second and nothing else."""
    found = kinds(hand_made())
    assert found == (
        TransactionKind("order", 4, 0.4, 6e-3, pytest.approx(500)),
        TransactionKind("query", 6, 0.6, 1e-3, pytest.approx(3000)),
    )
    assert harmonic_mean(found) == pytest.approx(1000)
    assert harmonic_mean(()) is None
    assert kinds(Accounts()) == ()


def test_books_with_stays_are_sums_and_differences():
    twice = hand_made() + hand_made()
    assert (twice.under_way, twice.stays["order"]) == (60 * MS, 48 * MS)
    assert kinds(twice) == tuple(replace(kind, count=2 * kind.count) for kind in kinds(hand_made()))
    assert twice - hand_made() == hand_made()


def test_the_weighted_harmonic_mean_is_the_throughput():
    """Up to the effect of the transactions cut by the window's edges: at most one of each client."""
    run = Desk(clients=7).build(Environment(3))
    run.start()
    run.env.run(S)
    before = run.accounts()
    run.env.run(5 * S)
    window = run.accounts() - before
    found, seconds = kinds(window), window.elapsed / S
    mean = sum(kind.share * kind.response for kind in found)
    most = 7 * run.longest / S / mean
    assert abs(harmonic_mean(found) - window.delivered / seconds) <= most / seconds
    assert most / window.delivered < 0.01
    assert window.under_way == 7 * window.elapsed


def test_kinds_in_the_result(result):
    order, query = result.kinds
    assert (order.name, query.name) == ("order", "query")
    assert order.share == pytest.approx(0.25, abs=0.03)
    assert order.count + query.count == pytest.approx(result.elapsed * result.throughput, rel=0.01)
    assert order.response - query.response == pytest.approx(1.5e-3, abs=0.3e-3)  # the difference in service
    assert order.rate == pytest.approx(5 / order.response)
    assert result.harmonic_mean == pytest.approx(result.throughput, rel=0.01)


def test_kinds_are_printed(result):
    order, query = result.kinds
    line = f"order {order.response * 1e3:.4g} ms ({order.share * 100:.0f} %)  query {query.response * 1e3:.4g} ms"
    assert f"kinds    {line}" in str(result)
    assert f">{query.response * 1e3:.4g} ms</td>" in result._repr_html_()
    data = json.loads(result.to_json())
    assert data["kinds"][0]["response"] == order.response
    assert data["harmonic_mean"] == result.harmonic_mean
    row = result.to_frame().iloc[0]
    assert (row["kinds.query.rate"], row["kinds.order.count"]) == (query.rate, order.count)
    assert not any(isinstance(value, dict | list) for value in row)


# --- file cache ------------------------------------------------------------------------------------------------------


def test_hit_ratio(result):
    assert result.hit_ratio is None
    assert "cache" not in str(result)
    cached = replace(result, counts=result.counts | {"file cache hits": 931, "file cache misses": 69})
    assert cached.hit_ratio == cached.to_dict()["hit_ratio"] == 0.931
    assert "cache    hit ratio 93.1 %" in str(cached)
    assert "hit ratio 93.1 %" in cached._repr_html_()
    assert replace(result, counts={"file cache hits": 0, "file cache misses": 0}).hit_ratio is None


# --- the bottleneck -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "alone", "name", "share"),
    [
        ({}, 0.65, "server disks", 0.7),
        ({}, 0.75, LATENCY, 0.75),
        ({}, 0.7, LATENCY, 0.7),
        # all processors of a host count as one resource, however the work is distributed
        ({"busy": {"server processor 0": {"application": 10 * MS}, "server processor 1": {"driver": 5 * MS}}}, 0.65,
         "server processors", 0.75),
        # a transmitter that waits for its segment is not a resource
        ({"occupied": {"server nic 0 transmitter": 10 * MS, "wire segment 0": 8 * MS}}, 0.65, "wire segment 0", 0.8),
        ({"occupied": {}, "busy": {}}, 0.1, LATENCY, 0.1),
        # a controller's room for commands limits only if nothing else does
        ({"occupied": {"server disks": 7 * MS, "server disk commands": 10 * MS}}, 0.65, "server disks", 0.7),
        ({"occupied": {"server disks": 2 * MS, "server disk commands": 10 * MS}, "busy": {}}, 0.1,
         "server disk commands", 1.0),
        # a host that drops frames comes first
        ({"drops": {"server: backlog": 30}}, 0.65, "server backlog", 0.03),
        ({"drops": {"server: backlog": 3}}, 0.65, "server disks", 0.7),
    ],
)  # fmt: skip
def test_the_nearer_asymptote_decides(changes, alone, name, share):
    assert bottleneck(hand_made(**changes), alone=alone, clients=["client1"]) == (name, pytest.approx(share))


def test_threads_count_as_far_as_they_are_needed():
    """They are busy all the time, but mostly wait for the disks."""
    accounts = hand_made(occupied={"server disks": 7 * MS, "server threads": 10 * MS})
    for needed, name, share in ((0.6, "server disks", 0.7), (0.8, "server threads", 0.8)):
        found = bottleneck(accounts, by_resource({"server threads": needed}), 0.65, ["client1"])
        assert found == (name, pytest.approx(share))


def test_other_tests_keep_their_rule():
    """Nothing is busy enough, so the bottleneck is latency, with the busiest resource's share."""
    accounts = hand_made(occupied={"server disks": 7 * MS})
    assert bottleneck(accounts) == (LATENCY, pytest.approx(0.9))


def test_a_lone_client_has_everything_to_itself():
    found = ns.simulate(Desk(clients=1, orders=1.0), precision=0.01)
    assert (found.bottleneck, found.bottleneck_share) == (LATENCY, pytest.approx(1, abs=1e-6))
    assert "limited by latency (100.0 % of the rate of clients that never wait for each other)" in str(found)
    assert escape("limited by latency (100.0 %") in found._repr_html_()


def test_many_clients_wait_for_the_processor():
    found = ns.simulate(Desk(clients=60), precision=0.01)
    assert (found.bottleneck, found.bottleneck_share) == ("server processors", pytest.approx(1, abs=0.01))
    assert found.bottleneck_share == found.cpu["server"]
    assert "limited by server processors" in str(found)
