"""A cable that fails during a run and recovers: a bond continues with its other ports, without a bond the port's
clients wait; TCP loses nothing, and the Result shows when it happened."""

from __future__ import annotations

import json
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
BOND = {"policy": "address", "tx_cycles": 500, "detection": "50 ms"}
SECOND = 10**12
PORTS, CLIENTS = 4, 8


def chariot(bond: Any = BOND, **changes: Any) -> ns.Chariot:
    """Four ports of 10 Mbit/s; number 1 has no link from 1 s to 2 s."""
    server = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * PORTS, bond=bond)
    outage = {"host": "server", "port": 1, "at": "1 s", "until": "2 s"}
    once = {"min_iterations": 1, "max_iterations": 1}
    given = {"switch": {"model": "aceswitch-180", "link_detection": "50 ms"}, "flow": "download", **once}
    given |= {"link": "10base-t", "duration": "3.5 s", "outages": [outage], **changes}
    return ns.Chariot(server=server, clients=[PC] * CLIENTS, **given)


@pytest.fixture(scope="module", params=["download", "upload"])
def bonded(request: pytest.FixtureRequest) -> ns.Result:
    return ns.simulate(chariot(flow=request.param))


@pytest.fixture(scope="module", params=["download", "upload"])
def apart(request: pytest.FixtureRequest) -> ns.Result:
    return ns.simulate(chariot(None, flow=request.param))


def of_the_wires(result: ns.Result) -> list[float]:
    """Each phase's throughput as a share of what all wires allow."""
    limit = result.scenario.replace("outages", ()).bounds().limit
    return [phase.throughput / limit for phase in result.phases]


# --- what is left, and what recovers ---------------------------------------------------------------------------------


def test_a_bond_falls_by_the_share_of_the_port_and_recovers(bonded: ns.Result) -> None:
    assert of_the_wires(bonded) == pytest.approx([1, 3 / 4, 1], abs=0.04)
    begins = [(phase.start, phase.end, phase.cause) for phase in bonded.phases]
    assert begins == [(0.03, 1, "start"), (1, 2, "server port 1 fails"), (2, 3.5, "server port 1 is back")]
    assert all(rate > 0.05 * bonded.throughput for rate in bonded.pairs.values())


def test_without_a_bond_only_the_ports_own_clients_stop(apart: ns.Result) -> None:
    """Their share is a quarter; they wait for TCP's timeouts, which have doubled meanwhile."""
    before, during, after = of_the_wires(apart)
    assert (before, during) == pytest.approx((1, 3 / 4), abs=0.02)
    assert 0.8 < after < 1
    rates = list(apart.pairs.values())
    struck = [number for number in range(CLIENTS) if rates[number] < 0.8 * apart.throughput / CLIENTS]
    assert struck
    assert set(struck) <= {1, 5}  # one of them may recover soon


@pytest.mark.parametrize("flow", ["download", "upload"])
@pytest.mark.parametrize("bond", [None, BOND, BOND | {"policy": "round-robin"}])
def test_tcp_loses_nothing(bond: Any, flow: str) -> None:
    """Every file of every pair arrives whole; lost segments have been sent again."""
    run = chariot(bond, flow=flow).build(Environment(seed=3))
    run.start()
    read: list[list[int]] = []
    for time in (1.1, 2, 3.5):
        run.env.run(int(time * SECOND))
        run.audit()
        read.append([pair.into.read_bytes for pair in run.pairs])
    stopped = [number for number in range(CLIENTS) if read[1][number] == read[0][number]]
    assert stopped == ([1, 5] if bond is None else [])
    assert all(after > before + 100_000 for before, after in zip(*read[1:], strict=True))
    accounts = run.accounts()
    cut_off = sum(count for place, count in accounts.drops.items() if place.endswith("link down"))
    other = sum(count for place, count in accounts.drops.items() if not place.endswith("link down"))
    assert cut_off > 0
    assert other == 0
    assert accounts.counts["retransmitted segments"] > 0


def test_the_time_until_it_is_noticed_costs_throughput() -> None:
    slow = ns.simulate(chariot(BOND | {"detection": "800 ms"}, switch="aceswitch-180"))
    drops = {place for place in slow.dropped if place.endswith("link down")}
    assert drops <= {"wire server 1 to switch: link down", "wire switch to server 1: link down"}
    quick = ns.simulate(chariot(BOND | {"detection": "0 s"}, switch="aceswitch-180"))
    assert sum(slow.dropped.values()) > sum(quick.dropped.values()) > 0
    assert slow.pairs["client2 download"] < 0.9 * quick.pairs["client2 download"]


def test_a_client_can_fail_too() -> None:
    outage = {"host": "clients.2", "at": "1 s", "until": "2 s"}
    result = ns.simulate(chariot(BOND, outages=[outage]))
    assert [phase.cause for phase in result.phases] == ["start", "client3 port 0 fails", "client3 port 0 is back"]
    assert set(result.dropped) <= {"wire client3 to switch: link down", "wire switch to client3: link down"}
    others = [rate for name, rate in result.pairs.items() if not name.startswith("client3")]
    assert result.pairs["client3 download"] < 0.8 * min(others)


def test_nothing_goes_over_the_cable_in_between() -> None:
    run = chariot(None).build(Environment(seed=1))
    run.start()
    cable = run._cables["server"][1]
    run.env.run(SECOND)
    before = cable.there.frames_arrived, cable.back.frames_arrived
    run.env.run(2 * SECOND)
    assert (cable.there.frames_arrived, cable.back.frames_arrived) == before
    assert cable.there.in_flight == cable.back.in_flight == 0
    run.env.run(3 * SECOND + SECOND // 2)
    assert cable.there.frames_arrived > before[0]


# --- the Result ------------------------------------------------------------------------------------------------------


def test_the_whole_is_the_mean_of_its_phases(bonded: ns.Result) -> None:
    time = [phase.end - phase.start for phase in bonded.phases]
    whole = sum(each * phase.throughput for each, phase in zip(time, bonded.phases, strict=True)) / sum(time)
    assert bonded.throughput == pytest.approx(whole)
    assert bonded.elapsed == pytest.approx(sum(time))
    assert sum(bonded.pairs.values()) == pytest.approx(bonded.throughput)
    assert bonded.simulated == 3.5


def test_samples_end_at_the_moments(bonded: ns.Result) -> None:
    """The middle of each sample falls on one side or the other, and each phase is the mean of its own samples."""
    for phase in bonded.phases:
        inside = [rate for time, rate in bonded.history if phase.start < time < phase.end]
        assert sum(inside) / len(inside) == pytest.approx(phase.throughput, rel=1e-6)
        assert len(inside) == pytest.approx((phase.end - phase.start) / bonded.scenario.duration * 1e12 * 40, rel=0.1)


def test_all_ways_to_look_at_it(bonded: ns.Result) -> None:
    lines = [line for line in str(bonded).splitlines() if line.startswith("phase ")]
    assert [line.split("   ")[-1].strip() for line in lines] == [phase.cause for phase in bonded.phases]
    assert len({line.index("Mbit/s") for line in lines}) == 1
    assert "1 - 2 s" in lines[1]
    assert f"{bonded.phases[1].throughput / 1e6:.1f} Mbit/s" in lines[1]
    assert bonded._repr_html_().count("<td") > 0
    assert "server port 1 is back" in bonded._repr_html_()
    data = json.loads(bonded.to_json())
    assert data["phases"][1]["cause"] == "server port 1 fails"
    assert data["history"] == [list(sample) for sample in bonded.history]
    row = bonded.to_frame().iloc[0]
    assert row["phases.1.throughput"] == bonded.phases[1].throughput
    assert not any(isinstance(value, dict | list) for value in row)
    assert bonded.history_frame().shape == (len(bonded.history), 2)
    assert bonded.history_frame()["throughput"].max() <= 1.01 * bonded.scenario.bounds().limit


def test_a_test_without_outages_has_no_phases() -> None:
    result = ns.simulate(chariot(outages=()), limit="0.3 s")
    assert (result.phases, result.history) == ((), ())
    assert result.to_dict()["phases"] == result.to_dict()["history"] == []
    assert result.history_frame().empty
    assert not any("phase" in name for name in result.to_frame())


def test_the_same_seed_gives_the_same_and_iterations_are_put_together() -> None:
    twice = chariot().replace({"max_iterations": 2, "min_iterations": 2})
    one, again = (ns.simulate(twice, seed=5) for _ in range(2))
    assert one == again
    assert len(one.iterations) == 2
    assert one.throughput == pytest.approx(sum(one.iterations) / 2)
    assert of_the_wires(one) == pytest.approx([1, 3 / 4, 1], abs=0.04)
    assert one != ns.simulate(twice, seed=6)


def test_the_limit_is_where_it_ends() -> None:
    result = ns.simulate(chariot(), limit="1.5 s", precision=0.5)
    assert result.simulated == 1.5
    assert [(phase.end, phase.cause) for phase in result.phases] == [(1, "start"), (1.5, "server port 1 fails")]


def test_what_happens_in_the_warm_up_is_what_the_first_phase_begins_with() -> None:
    outage = {"host": "server", "port": 1, "at": "10 ms", "until": "1 s"}
    result = ns.simulate(chariot(outages=[outage]), limit="1.5 s")
    assert [phase.cause for phase in result.phases] == ["server port 1 fails", "server port 1 is back"]


def test_a_run_in_which_nothing_arrives_gives_nothing() -> None:
    """Every cable is down, and retransmissions are lost too."""
    outages = [{"host": "server", "port": port, "at": "0 s", "until": "3 s"} for port in range(PORTS)]
    result = ns.simulate(chariot(outages=outages), limit="1 s")
    assert (result.throughput, result.converged) == (0, False)
    assert sum(result.dropped.values()) > 0
    assert str(result).startswith("FILESNDL    0 Mbit/s, below ")
    assert "phase" in result._repr_html_()
