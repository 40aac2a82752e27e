"""Whichever cables fail and recover, and whenever: nothing is lost or invented, and nothing passes in between."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from tests.property.test_chariot_bounds import several_ports

MS = 10**9  # ps
DURATION = 40  # ms


@st.composite
def scenarios(draw: st.DrawFn) -> ns.Chariot:
    """Up to two outages of some of the cables."""
    test = draw(several_ports())
    names = ["server", *(f"clients.{number}" for number, _ in enumerate(test.clients))]
    cables = [("server", port) for port, _ in enumerate(test.wires("server"))] + [(name, 0) for name in names[1:]]
    outages: list[dict[str, Any]] = []
    for host, port in draw(st.lists(st.sampled_from(cables), min_size=1, max_size=4, unique=True)):
        times = draw(st.lists(st.integers(0, DURATION), min_size=2, max_size=4, unique=True).map(sorted))
        outages += [
            {"host": host, "port": port, "at": f"{at} ms", "until": f"{until} ms"}
            for at, until in zip(times[::2], times[1::2], strict=False)
        ]
    detection = draw(st.sampled_from(["0 s", "1 ms", "15 ms"]))
    bond = {} if test.server.bond is None else {"server.bond.detection": draw(st.sampled_from([None, detection]))}
    return test.replace({"outages": outages, "switch.link_detection": detection, "duration": f"{DURATION} ms"} | bond)


def accounts(test: ns.Chariot, seed: int) -> Accounts:
    """The accounts at the end, after checks at every moment: a cable that is down passes nothing."""
    run = test.build(Environment(seed=seed))
    run.start()
    names = {"server": "server"} | {f"clients.{number}": name for number, name in enumerate(test.client_names)}
    cables = {(outage.host, outage.port) for outage in test.outages}
    before: dict[tuple[str, int], tuple[int, int]] = {}
    for moment in [*test.moments(), DURATION * MS]:
        run.env.run(until=moment)
        run.audit()
        for host, port in cables:
            cable = run._cables[names[host]][port]
            arrived = cable.there.frames_arrived, cable.back.frames_arrived
            was_down = any(
                (one.host, one.port) == (host, port) and one.at < moment <= one.until for one in test.outages
            )
            assert not was_down or arrived == before.get((host, port), arrived)
            before[host, port] = arrived
    return run.accounts()


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_nothing_is_lost_or_made_up(test: ns.Chariot, seed: int) -> None:
    found = accounts(test, seed)
    assert found == accounts(test, seed)
    assert found.delivered == sum(found.pairs.values())
    for name, share in found.utilisation().items():
        assert 0 <= share <= 1, name


@settings(max_examples=15, deadline=None)
@given(scenarios())
def test_phases_cover_the_time_and_cut_it_at_the_moments(test: ns.Chariot) -> None:
    once = test.replace({"min_iterations": 1, "max_iterations": 1})
    try:
        result = ns.simulate(once, warm_up="3 ms", sample="1 ms")
    except ns.SimulationError:
        hypothesis.reject()  # nothing was delivered
    first = result.phases[0].start
    inside = [time / 1e12 for time in test.moments() if first < time / 1e12 < DURATION / 1e3]
    assert [phase.start for phase in result.phases] == [first, *inside]
    assert [phase.end for phase in result.phases] == [*inside, DURATION / 1e3]
    assert sum((phase.end - phase.start) * phase.throughput for phase in result.phases) == (
        pytest.approx(result.throughput * result.elapsed)
    )
