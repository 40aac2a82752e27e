"""Saturated stations: compared with the standard's procedures and closed forms, and properties that always hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.workload.saturation.run import SaturationRun
from netsim.workload.saturation.tool import Saturation
from tests.ethernet_reference import Reference, Sent

MS = 10**9  # ps
BIT, SLOT = 100_000, 51_200_000  # ps at 10 Mbit/s
SIZES = (64, 512, 1518)


def run(test: Saturation, until: int, seed: int = 1) -> SaturationRun:
    found = test.build(Environment(seed))
    found.start()
    found.env.run(until)
    found.audit()
    return found


def reference(test: Saturation, until: int, seed: int = 1) -> Counter[tuple[int, str]]:
    """How many frames each station has sent and given up, by the standard's procedures."""
    env = Environment(seed)
    starts = env.stream("start").integers(10 * MS, size=test.stations).tolist()
    places = [test.segment.propagation(0, test.position(number)) for number in range(test.stations)]
    distances = [[max(1, abs(one - other)) for other in places] for one in places]
    streams = [env.stream(f"wire segment {name}") for name in test.names]
    model = Reference(BIT, SLOT, distances, streams)
    frame = Sent(0, test.frame, 0)
    model.again = lambda node, at, sent: frame
    for node, start in enumerate(starts):
        model.hand_over(start, node, frame)
    model.run(until)
    return Counter((station, how) for at, _, station, how in model.log if how != "arrived")


@given(stations=st.integers(2, 12), frame=st.integers(64, 1518), seed=st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_it_is_the_standards_procedure(stations: int, frame: int, seed: int) -> None:
    test = Saturation(stations, frame=frame)
    found, expected = run(test, 100 * MS, seed), reference(test, 100 * MS, seed)
    for number, one in enumerate(found.stations):
        assert (one.frames_sent, one.mac.excess_collisions) == (expected[number, "sent"], expected[number, "given up"])


def efficiency(stations: int, nbytes: int) -> float:
    """Metcalfe and Boggs, "Ethernet: distributed packet switching for local computer networks" (Communications of the
    ACM 19, 1976): each of Q stations tries with probability 1 / Q in each slot, a share of A = (1 - 1/Q)^(Q - 1)
    succeeds, and a frame of P bits is preceded by (1 - A) / A slots on average."""
    acquired = (1 - 1 / stations) ** (stations - 1)
    return nbytes * 8 * BIT / (nbytes * 8 * BIT + (1 - acquired) / acquired * SLOT)


@pytest.mark.parametrize("stations", [5, 20, 60])
def test_long_frames_come_to_what_metcalfe_and_boggs_say(stations: int) -> None:
    """At most 4 % more: collisions on a short cable cost less than a slot."""
    result = ns.simulate(Saturation(stations), precision=0.01)
    assert 1 <= result.throughput / 1e7 / efficiency(stations, 1518) < 1.04


def test_more_stations_and_shorter_frames_use_less() -> None:
    shares = {
        (size, stations): ns.simulate(Saturation(stations, frame=size), precision=0.01).throughput
        for size in SIZES
        for stations in (5, 20, 60)
    }
    for size in SIZES:
        assert shares[size, 5] > shares[size, 20] > shares[size, 60]
    for stations in (5, 20, 60):
        assert shares[64, stations] < shares[512, stations] < shares[1518, stations]


@given(stations=st.integers(2, 30), frame=st.integers(64, 1518), spacing=st.integers(1, 6), seed=st.integers(0, 100))
@settings(max_examples=20, deadline=None)
def test_no_faster_than_framing_and_every_frame_accounted_for(
    stations: int, frame: int, spacing: int, seed: int
) -> None:
    test = Saturation(stations, frame=frame, spacing=spacing)
    found = run(test, 200 * MS, seed)  # includes an audit
    accounts = found.accounts()
    assert 8e12 * accounts.delivered / accounts.elapsed <= test.bounds().limit
    assert sum(accounts.pairs.values()) == accounts.delivered


@pytest.mark.parametrize("name", [*ns.available("segments")["name"]])
@given(stations=st.integers(2, 8), frame=st.one_of(st.integers(64, 300), st.integers(64, 1518)))
@settings(max_examples=5, deadline=None)
def test_no_segment_is_faster_than_its_bound(name: str, stations: int, frame: int) -> None:
    """At 1000 Mbit/s, bursts of short frames included: only their first frames are extended."""
    test = Saturation(stations, frame=frame, segment=name)
    accounts = run(test, 20 * MS if test.segment.extends else 200 * MS).accounts()
    assert 8e12 * accounts.delivered / accounts.elapsed <= test.bounds().limit


@pytest.mark.parametrize("frame", [64, 128, 256, 512, 1518])
def test_bursts_nearly_reach_the_bound_at_1000_mbit_s(frame: int) -> None:
    test = Saturation(2, frame=frame, segment="1000base-t-hub")
    assert 0.9 < ns.simulate(test, precision=0.01, limit="20 ms").throughput / test.bounds().limit < 1


def test_it_is_fair_in_the_long_run() -> None:
    """A station that wins tends to win again (the capture effect), so this takes seconds; a loser's frame waits long,
    or is given up. All times together agree with Little's law."""
    short, long = (ns.simulate(Saturation(4), precision=0, limit=limit) for limit in ("100 ms", "10 s"))
    assert short.fairness is not None
    assert long.fairness is not None
    assert short.fairness < 0.95 < long.fairness <= 1
    sent, given_up = long.kinds
    assert given_up.response > 100 * sent.response
    assert sent.count * sent.response + given_up.count * given_up.response == pytest.approx(4 * long.elapsed, rel=0.05)


def test_it_is_as_unfair_as_each_iteration() -> None:
    """Over 100 ms one of two stations gets everything, though not the same one each time."""
    found = ns.simulate(Saturation(2, min_iterations=10), precision=0, limit="40 ms", seed=3)
    assert found.fairness is not None
    assert found.fairness < 0.6
    assert min(found.pairs.values()) > 0.1 * found.throughput


def test_the_wire_is_the_bottleneck_however_much_collisions_leave_unused() -> None:
    found = ns.simulate(Saturation(60, frame=64), precision=0.02)
    assert found.utilisation["wire segment"] < 0.9
    assert (found.bottleneck, found.bottleneck_share) == ("wire segment", pytest.approx(1))


def test_the_result_is_shown() -> None:
    text = str(ns.simulate(Saturation(3), precision=0.05))
    assert text.startswith("saturation")
    assert "pairs" in text


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"stations": 1}, "stations: 1 is not allowed; allowed: 2 or more"),
        ({"frame": 1600}, "frame: 1600 bytes are more than the segment accepts (1518)"),
        ({"frame": 60}, "frame: "),
        ({"stations": 60, "spacing": 100}, "spacing: "),
        ({"stations": 5000, "segment": "100base-tx-hub", "spacing": 1},
         "stations: 5000 stations on one segment; allowed: up to 4096"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError) as error:
        Saturation(**keys)
    assert str(error.value).startswith(message)
