"""Results that are written, read back and compared side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from math import hypot, isnan
from operator import getitem
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import DropPlace, Resource
from netsim.spec import SET_BY_USER
from netsim.units import MS
from tests.closed_desk import Desk
from tests.show.test_views import Page

FAST = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
SLOW = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x")
TEST = ns.Netperf("TCP_STREAM", FAST, SLOW)
SHORT: dict[str, Any] = {"precision": 0.05, "limit": "200 ms"}


@pytest.fixture(scope="module")
def slow() -> ns.Result:
    return ns.simulate(TEST, **SHORT)


@pytest.fixture(scope="module")
def fast() -> ns.Result:
    """With a seed of its own, so that both are independent; and longer, since a bit error may cost a timeout."""
    changes = {"receiver": FAST, "mtu": 1400, "link.bit_error_rate": 1e-6}
    return ns.simulate(TEST.replace(changes), precision=0.05, limit="1 s", seed=2)


@pytest.fixture(scope="module")
def failing() -> ns.Result:
    """With phases, a switch and its drops."""
    at = {"outages.0.at": "20 ms", "outages.0.until": "40 ms", "duration": "60 ms"}
    return ns.simulate(ns.load("examples/failover.toml").replace(at))


@pytest.fixture(scope="module")
def closed() -> ns.Result:
    return ns.simulate(Desk(duration=200 * MS))


@pytest.fixture(scope="module")
def series() -> ns.Result:
    return ns.simulate(ns.NetPipe(FAST, SLOW, sizes=[1, 1000]), precision=0.05)


# ---- read back ----


@pytest.mark.parametrize("name", ["slow", "fast", "failing", "closed", "series"])
def test_a_result_is_read_back(name: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(name)
    again = ns.Result.from_json(result.to_json())
    assert again == result
    assert again.to_dict() == result.to_dict()
    assert again.to_json() == result.to_json()
    assert str(again) == str(result)
    assert type(again.scenario) is type(result.scenario)


def test_what_makes_a_resource_is_read_back(failing: ns.Result) -> None:
    """So that nothing is parsed from a text."""
    again = ns.Result.from_json(failing.to_json())
    for this, other in [(failing.utilisation, again.utilisation), (failing.processors, again.processors)]:
        assert [one.fields() for one in this] == [one.fields() for one in other]
        assert {type(one) for one in other} == {Resource}
    assert [one.fields() for one in failing.drops] == [one.fields() for one in again.drops]
    assert {type(one) for one in again.drops} == {DropPlace}
    assert {type(one.ahead) for one in again.drops} == {Resource, type(None)}
    assert {type(one.where) for one in again.drops} == {Resource, str}
    assert again.bottleneck.fields() == failing.bottleneck.fields()
    assert [type(one) for one in again.phases] == [type(one) for one in failing.phases]


def test_names_and_what_was_set_are_read_back(slow: ns.Result) -> None:
    scenario = ns.Result.from_json(slow.to_json()).scenario
    assert scenario.catalogue_names() == slow.scenario.catalogue_names()
    assert scenario.get("receiver.nics.0.driver").catalogue_name == "drivers/3c59x"
    sources = [{at for at, one in test.provenance().items() if one == SET_BY_USER} for test in (scenario, TEST)]
    assert sources[0] == sources[1]
    assert scenario.provenance()["receiver.processors.clock"].source == "a result that was read back"
    assert str(scenario) == str(TEST)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^not a result of netsim: Expecting value"),
        ("[]", r"^not a result of netsim, or one of another version: label is missing$"),
        ('{"label": "x"}', r"another version: throughput is missing$"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=message):
        ns.Result.from_json(text)


def test_a_result_of_another_version_is_refused(slow: ns.Result) -> None:
    data = slow.to_dict()
    data["scenario_toml"] += "\nloss = 1\n"
    with pytest.raises(ns.ScenarioError, match="no such key"):
        ns.Result.from_json(json.dumps(data, default=str))
    del data["scenario_toml"]
    with pytest.raises(ns.ScenarioError, match="scenario_toml is missing"):
        ns.Result.from_json(json.dumps(data, default=str))


def test_a_result_saved_earlier_has_neither_fairness_nor_jitter(slow: ns.Result) -> None:
    data = slow.to_dict()
    del data["fairness"], data["jitter"]
    assert ns.Result.from_json(json.dumps(data, default=str)) == replace(slow, fairness=None)


@pytest.mark.parametrize(
    ("address", "value", "allowed"),
    [
        ("throughput", "fast", "a number"),
        ("seed", -3, "a whole number, 0 or more"),
        ("frames", 1.5, "a whole number, 0 or more"),
        ("settled", "no", "true or false"),
        ("label", 5, "a text"),
        ("latency", "short", "a number"),
        ("cpu.sender", "busy", "a number"),
        ("counts", 5, "a table"),
        ("iterations.0", "fast", "a number"),
        ("samples.0.origin", 0.5, "a whole number, 0 or more"),
    ],
)
def test_a_damaged_value_is_refused(slow: ns.Result, address: str, value: object, allowed: str) -> None:
    data = json.loads(slow.to_json())
    *above, name = [int(step) if step.isdigit() else step for step in address.split(".")]
    table = reduce(getitem, above, data)
    table[name] = value
    message = f"^{re.escape(address)}: {re.escape(json.dumps(value))} is not allowed; allowed: {allowed}$"
    with pytest.raises(ns.ScenarioError, match=message):
        ns.Result.from_json(json.dumps(data))


def test_a_result_has_iterations_and_its_resources(slow: ns.Result) -> None:
    data = slow.to_dict()
    with pytest.raises(ns.ScenarioError, match=r"^iterations: it is empty; allowed: a number for each iteration$"):
        ns.Result.from_json(json.dumps(data | {"iterations": []}, default=str))
    data["resources"]["sender bus"]["host"] = "receiver"
    with pytest.raises(ns.ScenarioError, match=r'damaged one: the fields of "sender bus" make "receiver bus"$'):
        ns.Result.from_json(json.dumps(data, default=str))


def test_a_host_of_another_test_has_no_cpu(slow: ns.Result) -> None:
    with pytest.raises(ns.ScenarioError, match=r'^host: no host of this result .*"sendr" \(did you mean "sender"\?\)$'):
        slow.cpu_by_name("sendr")


# ---- side by side ----


def test_two_results_side_by_side(slow: ns.Result, fast: ns.Result) -> None:
    found = slow.compare(fast)
    assert found.difference == fast.throughput - slow.throughput
    assert found.half_width == hypot(slow.half_width, fast.half_width)
    assert repr(found) == f"<Comparison of {slow!r} with {fast!r}>"
    assert [tuple(one) for one in found.changes] == [
        ("receiver", "p166", "piii-600"),
        ("receiver.chipset", "intel-430fx", "intel-440bx"),
        ("link.bit_error_rate", "0.0", "1e-06"),
        ("mtu", "1500 B", "1400 B"),
    ]
    lines = {line[:23].strip(): line[23:].split("   ") for line in str(found).splitlines()}
    assert [cell.strip() for cell in lines[""] if cell.strip()] == ["this", "other", "difference"]
    assert lines["receiver"][0].strip() == "p166"
    throughput = " ".join(lines["throughput (Mbit/s)"])
    assert f"{slow.mbit_per_s:.2f} +/- " in throughput
    assert f"{found.difference / 1e6:+.2f} +/- {found.half_width / 1e6:.2f} (" in throughput
    share = 100 * (fast.cpu["receiver"] - slow.cpu["receiver"])
    cpu = f"{share:+.1f} points +/- {100 * found.cpu_half_width('receiver'):.1f}"
    assert cpu in " ".join(lines["CPU receiver"])
    assert slow.bottleneck in " ".join(lines["limited by"])
    assert "drops per second" in lines
    assert len(lines) <= 12


def test_a_comparison_as_a_table(slow: ns.Result, fast: ns.Result) -> None:
    table = slow.compare(fast).to_frame().set_index("name")
    assert list(table) == ["this", "other", "difference", "half_width"]
    assert table.loc["throughput", "half_width"] == slow.compare(fast).half_width
    assert table.loc["bottleneck", ["this", "other"]].tolist() == [slow.bottleneck, fast.bottleneck]
    assert isnan(table.loc["bottleneck", "difference"])
    for name, share in slow.utilisation.items():
        row = table.loc[f"utilisation.{name}"]
        assert row["this"] == share
        assert row["difference"] == fast.utilisation[name] - share
    place = "drops.wire to receiver: bit errors [1/s]"
    assert table.loc[place, "other"] == fast.drops["wire to receiver: bit errors"] / fast.elapsed > 0
    assert table.loc["counts.segments sent [1/s]", "this"] == slow.counts["segments sent"] / slow.elapsed
    names = [name for name in table.index if not name.endswith("[1/s]")]
    assert {*names} <= {*slow.to_record()}


def test_a_comparison_in_a_notebook(slow: ns.Result, fast: ns.Result) -> None:
    page = Page(slow.compare(fast)._repr_html_())
    assert not page.tags & {"script", "style", "link", "img"}
    assert page.named["receiver"] == ["p166", "piii-600", ""]
    assert page.named["sender bus"][0] == f"{100 * slow.utilisation['sender bus']:.1f} %"
    assert "counts.segments sent [1/s]" in page.named
    assert "counts.segments beyond the window [1/s]" not in page.named


def test_what_is_set_in_an_exchanged_thing_is_told(slow: ns.Result) -> None:
    other = TEST.replace({"receiver.nics.0": "eepro100/eepro100", "receiver.nics.0.driver.rx_ring": 99})
    told = slow.compare(replace(slow, scenario=other))
    assert [tuple(one) for one in told.changes] == [
        ("receiver.nics.0", "3c905b", "eepro100"),
        ("receiver.nics.0.driver", "3c59x", "eepro100"),
        ("receiver.nics.0.driver.rx_ring", "32", "99"),
    ]
    again = ns.Result.from_json(replace(slow, scenario=other).to_json())
    assert slow.compare(again).changes == told.changes


def test_many_changes_are_cut_short(slow: ns.Result) -> None:
    changes = {f"sender.system.tcp.{name}": slow.scenario.get(f"sender.system.tcp.{name}") + 1
               for name in ("tx_cycles", "rx_cycles", "initial_window", "send_buffer")}  # fmt: skip
    changes |= {"mtu": 1000, "duration": "50 s", "interval": 0.1, "max_iterations": 20}
    found = slow.compare(replace(slow, scenario=TEST.replace(changes)))
    assert len(found.changes) == len(changes)
    assert str(found).splitlines()[7] == "and 2 more that differ"


def test_a_series_has_its_latency_side_by_side(series: ns.Result) -> None:
    other = replace(series, latency=2e-6 + series.latency)
    table = series.compare(other).to_frame().set_index("name")
    assert table.loc["latency", "difference"] == pytest.approx(2e-6)
    assert table.loc["latency", "half_width"] == pytest.approx(series.curve[0].half_width * 2**0.5)
    assert "latency (us)" in str(series.compare(other))


def test_many_clients_are_one(failing: ns.Result) -> None:
    text = str(failing.compare(failing))
    assert "CPU server" in text
    assert "CPU clients" in text
    assert "client1" not in text.replace(failing.bottleneck, "")


def test_results_without_a_common_interval(slow: ns.Result, fast: ns.Result) -> None:
    found = slow.compare(replace(fast, confidence=0.9))
    assert found.half_width is None
    assert isnan(found.to_frame().set_index("name").loc["throughput", "half_width"])
    assert str(found)
    with pytest.raises(ns.ScenarioError, match=r"^other: intervals of confidence 0\.99 and 0\.9 can't be combined"):
        slow.quotient(replace(fast, confidence=0.9))


@pytest.mark.parametrize("both", [ns.Result.compare, ns.Result.quotient])
def test_transactions_are_no_bytes(both: Callable[..., object], slow: ns.Result, closed: ns.Result) -> None:
    with pytest.raises(ns.ScenarioError, match=r"^Mbit/s and TPS can't be compared$"):
        both(slow, closed)
    with pytest.raises(ns.ScenarioError, match=r"^other: 5 is not allowed; allowed: a Result$"):
        both(slow, 5)


def test_tools_with_other_units_are_compared_in_mbit_per_s(slow: ns.Result, series: ns.Result) -> None:
    assert slow.compare(series).changes[0] == ("tool", "netperf", "netpipe")
    bench = ns.load("examples/netbench.toml")
    assert "throughput (Mbit/s)" in str(slow.compare(replace(slow, scenario=bench)))


# ---- in Mbit/s ----


def test_rates_in_mbit_per_s(slow: ns.Result, series: ns.Result, failing: ns.Result) -> None:
    assert slow.mbit_per_s == slow.throughput / 1e6
    assert TEST.bounds().mbit_per_s == TEST.bounds().limit / 1e6
    grid = ns.bounds(TEST, {"mtu": [576, 1500]})
    assert grid.mbit_per_s.tolist() == [one / 1e6 for one in grid.limit.tolist()]
    assert series.curve[1].mbit_per_s == series.curve[1].throughput / 1e6
    assert failing.phases[0].mbit_per_s == failing.phases[0].throughput / 1e6


def test_transactions_have_no_mbit_per_s(closed: ns.Result) -> None:
    for one in (closed, closed.scenario.bounds()):
        with pytest.raises(ns.ScenarioError, match="in TPS, which has no bits; allowed: throughput"):
            assert one.mbit_per_s


def test_a_difference_below_what_is_shown_has_no_sign_of_its_own(slow: ns.Result) -> None:
    cpu = {host: share - 1e-6 for host, share in slow.cpu.items()}
    less = replace(slow, cpu=cpu, throughput=slow.throughput - 1e-3)
    text = str(slow.compare(less))
    assert "+0.0 points" in text
    assert "-0.0" not in text
