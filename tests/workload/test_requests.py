"""Requests between current hosts: compared with their closed form, stage by stage, and what each option omits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.units import MS, US
from netsim.workload.requests import bounds
from netsim.workload.requests.run import STAGES, RequestsRun
from tests.packet_tools import requests

WAYS: dict[str, dict[str, Any]] = {
    "asleep": {},
    "asleep in C1": {"client__server__idle_exit": "2 us", "server__server__idle_exit": "2 us"},
    "RPS": {"rps": True, "switch": "300 ns"},
    "RPS in C1": {"rps": True, "server__server__idle_exit": "2 us"},
    "spins": {"wait": "spin", "protocol": "homa", "request": 100, "response": 1400},
    "on one core": {"shares": True},
    "spins on one core": {"shares": True, "wait": "spin", "client__server__idle_exit": "2 us"},
    "polls the queue": {"wait": "busy-poll", "protocol": "tcp"},
    "on the other socket, behind a switch": {"client__remote": True, "server__switch_time": "150 ns"},
    "held back": {"interval": "20 us", "request": 1000},
}


def run(test: ns.Requests, until: int = 2 * MS) -> RequestsRun:
    found = test.build(Environment())
    found.start()
    found.env.run(until)
    found.audit()
    return found


def last(test: ns.Requests, until: int = MS) -> dict[str, int]:
    """ps of each stage of the last transaction; a stage of one name within a host covers both messages."""
    log = run(test, until).log
    return dict(zip([*STAGES], [stage[-1] for stage in log.stages], strict=True))


@pytest.mark.parametrize("way", WAYS)
def test_a_transaction_that_is_alone_takes_what_the_closed_form_says(way: str) -> None:
    """Each stage, to the ps; the first transaction finds nothing to clean."""
    log = run(requests(**WAYS[way]), MS).log
    stages = bounds.stages(requests(**WAYS[way]))
    assert len(stages) == len(STAGES) == len({*STAGES})
    assert len(log.times) > 15
    for number in range(1, len(log.times)):
        assert [stage[number] for stage in log.stages] == stages


_hosts = st.fixed_dictionaries({
    "wait": st.sampled_from(["sleep", "spin", "busy-poll"]), "rps": st.booleans(), "shares": st.booleans(),
})  # fmt: skip
_changes = st.fixed_dictionaries({
    "interval": st.sampled_from(["0 us", "3 us", "50 us"]),
    "burst": st.integers(0, 40),
    "request": st.integers(1, 1400), "response": st.integers(1, 1400),
    "client__kernel__weight": st.integers(1, 64),
    "client__adapter__throttle": st.sampled_from(["since-first", "since-last"]),
    "server__adapter__throttle": st.sampled_from(["since-first", "since-last"]),
    "server__server__clock": st.sampled_from(["1 GHz", "4 GHz"]),
    "server__pcie": st.sampled_from(["pcie-1-x1", "pcie-3-x8"]),
    "client__driver__moderation__frames": st.integers(0, 5),
    "switch": st.sampled_from([None, "1 us"]),
    "client__adapter__tx_packet_time": st.sampled_from(["5 ns", "3 us"]),
    "client__adapter__tx_queue_packet_time": st.sampled_from(["0 ns", "7 us"]),
    "server__adapter__rx_packet_time": st.sampled_from(["5 ns", "5 us"]),
})  # fmt: skip


def _allowed(host: dict[str, Any]) -> dict[str, Any]:
    """A host with RPS doesn't share a core, and one that polls the queue does neither."""
    rps = host["rps"] and host["wait"] != "busy-poll"
    return host | {"rps": rps, "shares": host["shares"] and host["wait"] != "busy-poll" and not rps}


@given(_hosts, _changes, st.integers(20, 400))
@settings(max_examples=40, deadline=None)
def test_nothing_is_faster_than_its_bound(host: dict[str, Any], changes: dict[str, Any], time: int) -> None:
    test = requests(**_allowed(host), **changes)
    found = run(test, time * US)  # includes an audit
    assert (found.delivered - test.outstanding) * 1e12 <= test.bounds().limit * found.env.now
    for name, share in found.accounts().utilisation().items():
        assert 0 <= share <= 1 + 1e-9, name
    least = bounds.shortest(test) - (0 if test.burst else test.costs[0].clean)
    assert all(each >= least for each in found.log.times[1:])


@given(_hosts, _changes, st.sampled_from(["udp", "tcp", "homa"]), st.integers(1, 12), st.sampled_from([500, 20_000]))
@settings(max_examples=40, deadline=None)
def test_several_under_way_are_no_faster_than_their_bound(
    host: dict[str, Any], changes: dict[str, Any], protocol: str, burst: int, rx_cycles: int
) -> None:
    """In 4 ms after a start, during which as many may end as were under way before."""
    several = {"protocol": protocol, "burst": burst, "server__driver__rx_cycles": rx_cycles}
    test = requests(**_allowed(host), **(changes | several))
    found = run(test, MS)
    before = found.delivered
    found.env.run(5 * MS)
    assert (found.delivered - before - test.outstanding) * 1e12 <= test.bounds().limit * 4 * MS


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
@pytest.mark.parametrize("burst", [0, 1, 3, 7])
def test_a_process_that_never_sleeps_needs_no_waking(protocol: str, burst: int) -> None:
    """With several messages under way it finds the next one, or another one's interrupt has begun the poll."""
    test = ns.load("examples/requests.toml").replace({"protocol": protocol, "burst": burst})
    result = ns.simulate(test, warm_up="1 ms", sample="100 us")
    assert result.throughput <= test.bounds().limit * (1 + 1e-9)


@pytest.mark.parametrize(("burst", "limited"), [(0, "latency"), (3, "latency"), (7, "client process core")])
def test_it_is_limited_by_latency_until_a_core_is_busy(burst: int, limited: str) -> None:
    """However much time transactions save each other: the bound is far above what four reach."""
    test = ns.load("examples/requests.toml").replace("burst", burst)
    result = ns.simulate(test, warm_up="1 ms", sample="100 us")
    assert result.bottleneck == limited
    assert 0.99 < result.bottleneck_share <= 1 + 1e-9
    assert (result.throughput < 0.6 * test.bounds().limit) is (burst == 3)


def test_a_poll_that_lasts_until_the_next_requests_needs_no_interrupt() -> None:
    """A slow driver polls for longer than an answer takes, so interrupts every 500 us don't set the pace."""
    changes = {"wait": "spin", "burst": 20, "interval": "500 us", "server__driver__rx_cycles": 20_000}
    test = requests(client__adapter__throttle="since-last", server__adapter__throttle="since-last", **changes)
    result = ns.simulate(test, warm_up="2 ms", sample="200 us")
    assert test.outstanding / 500e-6 < result.throughput <= test.bounds().limit


def test_many_saturate_the_core_of_a_process() -> None:
    test = requests(burst=30)
    result = ns.simulate(test, warm_up="1 ms", sample="100 us")
    assert result.bottleneck.kind == "process core"
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.01)


# ---- what options do ----


def test_interrupts_since_the_last_one_set_the_pace() -> None:
    """Each transaction has one at each end, so transactions are separated by the longer interval."""
    slow = requests(interval="40 us", client__adapter__throttle="since-last", server__adapter__throttle="since-last")
    log = run(slow).log
    assert {*log.times[2:]} == {40 * US}


def test_polling_the_queue_leaves_interrupt_and_wake_up_out() -> None:
    asleep, polls = last(requests()), last(requests(wait="busy-poll"))
    gone = {name for name in asleep if asleep[name] and not polls[name]}
    assert gone == {f"{host}: {stage}" for host in ("client", "server") for stage in ("interrupt", "wake-up")} | {
        "there: moderation", "back: moderation",
    }  # fmt: skip
    same = {name for name in asleep if asleep[name] == polls[name]}
    assert {"client: call", "there: wire", "server: protocol", "back: memory"} <= same
    assert run(requests(wait="busy-poll")).accounts().counts["interrupts"] == 0


def test_another_core_for_the_softirq_costs_a_signal_and_relieves_the_first() -> None:
    steered, direct = last(requests(rps=True)), last(requests())
    assert steered["server: steering"] > 0 == direct["server: steering"]
    assert {name for name in steered if steered[name] != direct[name]} == {"server: steering", "client: steering"}
    loads = [run(requests(rps=rps, burst=20)).accounts().utilisation()["server processor 0"] for rps in (True, False)]
    assert loads[0] < loads[1]


def test_code_scales_with_the_clock_and_nothing_else_does() -> None:
    slow, fast = (last(requests(wait="spin", client__server__clock=clock, server__server__clock=clock))
                  for clock in ("2 GHz", "4 GHz"))  # fmt: skip
    for name, time in slow.items():
        part = name.partition(": ")[2]
        if part in ("adapter", "wire", "switch", "memory", "moderation", "wake-up"):  # last: a line of another core
            assert time == fast[name] or part == "wake-up", name
        else:
            assert time == pytest.approx(2 * fast[name], abs=20), name


def test_a_switch_adds_itself_and_a_cable() -> None:
    direct, switched = last(requests()), last(requests(switch="1 us"))
    cable = requests().link.delay
    assert {name: switched[name] - direct[name] for name in direct if switched[name] != direct[name]} == {
        "there: wire": cable, "back: wire": cable, "there: switch": US, "back: switch": US,
    }  # fmt: skip


# ---- refused ----


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"request": 2000}, r"^request: 2000 bytes don't fit into a frame; allowed: 1 to 1472$"),
        ({"request": 9951, "link__mtu": 20000}, r"^request: 9951 bytes don't fit into a frame; allowed: 1 to 9950$"),
        ({"burst": 300}, r"^burst: 301 messages at once don't fit into the queues of the client; allowed: 0 to 255$"),
        ({"rps": True, "shares": True}, r"^client\.shares: with rps the process has a core of its own; allowed: false"),
        ({"wait": "busy-poll", "rps": True}, r"^client\.rps: a process that polls the queue has no softirq"),
        ({"link": "100gbase-sr4"}, r"^link\.rate: 100000000000 bit/s are more than the adapter of .* supports"),
        ({"server__server__cores": 1}, r"server\.server\.cores: 1 is less than the host needs; allowed: 2 or more"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    ring = {"client__driver__rx_ring": 256} if "burst" in changes else {}
    with pytest.raises(ns.ScenarioError, match=message):
        requests(**changes, **ring)


@pytest.mark.parametrize("half", ["tx", "tx_queue", "rx"])
@pytest.mark.parametrize("host", ["client", "server"])
def test_an_adapter_that_is_slow_limits(host: str, half: str) -> None:
    """However many are under way, it handles a frame each 20 us."""
    test = requests(burst=30, **{f"{host}__adapter__{half}_packet_time": "20 us"})
    result = ns.simulate(test, precision=0.01)
    named = "receiver" if half == "rx" else "transmitter"
    assert result.throughput == pytest.approx(50_000, rel=1e-3) == test.bounds().limit
    assert result.bottleneck == test.bounds().bottleneck == f"{host} nic {named}"
    assert result.utilisation[result.bottleneck] == pytest.approx(1, abs=1e-3)


def test_a_lone_frame_does_not_wait_for_its_adapter() -> None:
    """The time is from one frame to the next."""
    slow = {f"{host}__adapter__{half}_packet_time": "2 us" for host in ("client", "server") for half in ("tx", "rx")}
    assert last(requests(**slow)) == last(requests())
