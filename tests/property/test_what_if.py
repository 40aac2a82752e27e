"""What if a part were better? The closed form never gives a lower bound, exactly; a simulation finds no decrease beyond
its intervals, except as `what_if_exceptions` explains. A cost on a message's path never makes it faster, and the
delivered rate over the offered load has one peak."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.measure.simulation import unattended
from netsim.results.result import Result
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.property import catalogued, test_accounts, test_chariot_bounds
from tests.property.what_if_changes import KINDS, Change, changed, changes
from tests.property.what_if_exceptions import Case, calls_later, explained, harmful, more_may_come, sent_away

SEVERAL = 2e-6  # of the limit of several flows: the error where a linear programme shares it out (parts._EVEN)
SOME = 10  # changes of each scenario
SHARES = (0.3, 0.6, 0.9, 1.2, 1.8, 3)  # offered loads, relative to the limit of UDP_STREAM
SPURTS = 0.05  # of that limit: if nearly all is lost, the rest arrives in bursts

several_flows = st.one_of(catalogued.files(), test_chariot_bounds.scenarios(), test_chariot_bounds.several_ports())
messages = catalogued.ping_pongs(st.integers(1, 100_000))
one_flow = st.one_of(
    catalogued.streams(), catalogued.pcix_streams(), messages, catalogued.perform3s(), test_accounts.scenarios()
)


def some_changes(
    data: st.DataObject, test: ns.Scenario, factor: float, some: int = SOME
) -> list[tuple[Change, ns.Scenario]]:
    """Some changes, drawn at random, and the scenario with each."""
    drawn = data.draw(st.lists(st.sampled_from(changes(test, factor)), min_size=some, max_size=some))
    both = [(one, changed(test, one)) for one in drawn]
    return [(one, after) for one, after in both if after is not None]


# ---- the closed form ----


@settings(max_examples=40, deadline=None)
@given(one_flow, st.sampled_from([1.01, 1.5, 2, 10]), st.data())
def test_no_resource_is_needed_for_longer_if_a_part_is_better(
    test: ns.Scenario, factor: float, data: st.DataObject
) -> None:
    """No bound is lower either, exactly."""
    before = test.bounds()
    for change, better in some_changes(data, test, factor):
        if sent_away(test, better) or calls_later(test, better):
            continue
        after = better.bounds()
        assert after.limit >= before.limit, change
        assert not {name for name, ps in after.demand.items() if ps > before.demand[name]}, change


@settings(max_examples=10, deadline=None)
@given(several_flows, st.sampled_from([1.01, 1.5, 2, 10]), st.data())
def test_several_flows_are_allowed_no_less_if_a_part_is_better(
    test: ns.Chariot, factor: float, data: st.DataObject
) -> None:
    """The share of each flow changes, so a resource may be needed for longer."""
    before = test.bounds().limit
    for change, better in some_changes(data, test, factor):
        assert sent_away(test, better) or better.bounds().limit >= before * (1 - SEVERAL), change


@settings(max_examples=10, deadline=None)
@given(catalogued.pcix_streams(), st.sampled_from(["sender", "receiver"]))
def test_the_catalogues_pci_x_buses_are_in_order(test: ns.Netperf, end: str) -> None:
    limits = [test.replace(f"{end}.bus", name).bounds().limit for name in ("pci-x-66", "pci-x-100", "pci-x-133")]
    assert limits == sorted(limits)


@settings(max_examples=10, deadline=None)
@given(catalogued.streams(), st.sampled_from(["sender", "receiver"]))
def test_the_catalogues_buses_are_in_order(test: ns.Netperf, end: str) -> None:
    """32 bits at 33 MHz, 64 bits, 66 MHz: for any host, chipset and card."""
    buses = [test.replace(f"{end}.bus", name) for name in ("pci-32-33", "pci-64-33", "pci-64-66")]
    for slower, faster in pairwise(buses):
        assert sent_away(slower, faster) or faster.bounds().limit >= slower.bounds().limit


# ---- the path of a small message ----

COSTS = tuple(kind.name for kind in KINDS if not kind.name.startswith("larger"))
ON_THE_WAY = re.compile(  # of any message over TCP, whatever the card and the system; also link.propagation
    r"(processors\.relative_cpi|system\.kernel\.(interrupt|system_call|wake_up)_cycles"
    r"|system\.tcp\.[tr]x_cycles|nics\.0\.driver\.([tr]x|interrupt)_cycles|propagation)"
)


def costlier(test: ns.Scenario) -> list[Change]:
    """Every cost, 10 % higher (a rate is lower by the same factor)."""
    return [one for one in changes(test, 1 / 1.1) if one.kind in COSTS]


@settings(max_examples=20, deadline=None)
@given(catalogued.ping_pongs(st.integers(1, 1000)), st.data())
def test_every_cost_on_its_way_makes_a_message_later(test: ns.NetPipe, data: st.DataObject) -> None:
    size = test.sizes[0]
    before = least_half_round_trip(test, size)
    for cost in data.draw(st.lists(st.sampled_from(costlier(test)), min_size=30, max_size=30, unique=True)):
        after = least_half_round_trip(test.replace(cost.address, cost.value), size)
        assert after >= before, cost
        if ON_THE_WAY.fullmatch(cost.part) and test.mpi is None:  # one of a library's two segments hides the other
            assert after > before, cost


# ---- simulations ----

STREAM = "0.12 s"  # simulated time, at most
fixed = settings(deadline=None, derandomize=True, database=None)  # the draws: chance affects a share of all intervals
factors = st.sampled_from([1.1, 1.5, 3])


def simulated(test: ns.Scenario, limit: str) -> Result | None:
    """None if nothing is delivered."""
    try:
        result = unattended(test, precision=0.01, limit=limit)
    except ns.SimulationError:
        return None
    return result if result.throughput else None


def check(test: ns.Scenario, factor: float, data: st.DataObject, limit: str = STREAM) -> None:
    """Better parts do no harm, or the harm is explained."""
    before = simulated(test, limit)
    if before is None:
        return
    for change, better in some_changes(data, test, factor, 3):
        after = simulated(better, limit)
        if after is None:
            assert more_may_come(change), change
            continue
        case = Case(change, before, after)
        assert not harmful(case) or explained(case), change


@settings(fixed, max_examples=12)
@given(catalogued.streams(), factors, st.data())
def test_a_stream_is_no_slower_if_a_part_is_better(test: ns.Netperf, factor: float, data: st.DataObject) -> None:
    check(test, factor, data)


@settings(fixed, max_examples=4)
@given(catalogued.shared_streams(), factors, st.data())
def test_a_stream_on_a_segment_is_no_slower_if_a_part_is_better(
    test: ns.Netperf, factor: float, data: st.DataObject
) -> None:
    check(test, factor, data, "0.1 s")


def test_a_faster_bus_may_make_a_station_lose_to_the_other() -> None:
    """The capture effect, with its evidence."""
    pc = ns.host("486dx-33", system="linux-2.2.16", nics="at1500/lance")
    test = ns.Netperf("TCP_STREAM", pc, pc, segment="10base2").replace("sender.bus.clock", "8 MHz")
    change = Change("a faster bus", "sender.bus.clock", "9 MHz")
    better = changed(test, change)
    assert better is not None
    before, after = (ns.simulate(one, precision=0.02, limit="0.5 s") for one in (test, better))
    case = Case(change, before, after)
    assert harmful(case)
    assert "more_collisions" in explained(case)


@settings(fixed, max_examples=3)
@given(catalogued.pcix_streams(), factors, st.data())
def test_a_stream_over_pci_x_is_no_slower_if_a_part_is_better(
    test: ns.Netperf, factor: float, data: st.DataObject
) -> None:
    check(test, factor, data, "0.02 s")


@settings(fixed, max_examples=16)
@given(catalogued.ping_pongs(st.sampled_from([1, 1000, 30_000])), factors, st.data())
def test_a_message_is_no_slower_if_a_part_is_better(test: ns.NetPipe, factor: float, data: st.DataObject) -> None:
    check(test, factor, data, "10 ms")


@settings(fixed, max_examples=3)
@given(catalogued.files(), factors, st.data())
def test_files_are_no_slower_if_a_part_is_better(test: ns.Chariot, factor: float, data: st.DataObject) -> None:
    check(test, factor, data)


@settings(fixed, max_examples=3)
@given(catalogued.perform3s(), factors, st.data())
def test_reads_are_no_slower_if_a_part_is_better(test: ns.Perform3, factor: float, data: st.DataObject) -> None:
    check(test, factor, data, "0.3 s")


@settings(fixed, max_examples=12)
@given(catalogued.ping_pongs(st.integers(1, 1000)), st.data())
def test_no_cost_makes_a_simulated_message_sooner(test: ns.NetPipe, data: st.DataObject) -> None:
    before = simulated(test, "10 ms")
    for cost in data.draw(st.lists(st.sampled_from(costlier(test)), min_size=3, max_size=3)):
        after = simulated(test.replace(cost.address, cost.value), "10 ms")
        assert before is not None
        assert after is not None
        case = Case(cost, after, before)  # the cheaper one counts as better
        assert not harmful(case) or explained(case), cost


@settings(fixed, max_examples=8)
@given(catalogued.streams("UDP_STREAM"))
def test_what_is_delivered_of_an_offered_load_has_one_peak(test: ns.Netperf) -> None:
    """Throughput rises, and then falls or stays constant. It may rise again by what the receiver can do in the time
    that it saves at a higher load, where more frames share an interrupt."""
    limit, work = test.bounds().limit, test.bounds().throughput("receiver processors")
    found = [simulated(test.replace("offered", f"{round(share * limit)} bit/s"), STREAM) for share in SHARES]
    low = [one.throughput - one.half_width if one else 0.0 for one in found]
    high = [one.throughput + one.half_width if one else 0.0 for one in found]
    busy = [one.cpu_by_name("receiver").get("interrupt", 0.0) if one else 0.0 for one in found]
    for number, most in enumerate(high):
        gained = [max(0.0, busy[number] - later) * work for later in busy[number:]]
        after = max(least - gain for least, gain in zip(low[number:], gained, strict=True))
        assert most >= min(max(low[: number + 1]), after) - SPURTS * limit
