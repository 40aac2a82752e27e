"""Observing a run changes nothing, and the records match the accounts to the picosecond: for every tool, and for hosts
of any kind."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.watch.journeys import STAGES
from tests.in_networks import behind_a_switch, on_a_segment, routed, through_a_tunnel, tunnel_between_testers
from tests.property.test_accounts import scenarios
from tests.watched import CASES, MS, check_busy, check_drops, check_interrupts, duration, plain, recorded, scenario

PROCESSORS = ("send", "aggregate", "restart", "receive", "protocol", "copy")  # stages on which a processor spends time
CARDS = {"fetch": "fetch", "wire": "frame"}  # stages that begin with a span of this name
# May follow in either order; what waits in a socket's backlog, possibly for no time, is processed twice.
AGAIN = {("wire", "switch"), ("switch", "wire"), ("copy", "socket"), ("socket", "copy")}
AGAIN |= {("protocol", "socket backlog"), ("protocol", "protocol")}
AGAIN |= {("forwarding", stage) for stage in STAGES}  # through the next host
# After a gateway has opened a packet, its processing starts again.
AGAIN |= {(one, other) for one in ("protocol", "reassembly") for other in ("backlog", "forwarding")}


def check_journeys(recorder):
    """Stages follow in the order of a journey, and each begins with its span or work. An interrupt at the moment when a
    work begins comes first."""
    named = {(span.name, span.start, frame) for span in recorder.spans for frame in span.frames}
    works = {(span.start, frame) for span in recorder.spans if span.parts for frame in span.frames}
    follows = {(span.track, span.end): span.start for span in recorder.spans if span.name == "interrupt"}
    works |= {(follows[at], frame) for span in recorder.spans if span.parts for frame in span.frames
              if (at := (span.track, span.start)) in follows}  # fmt: skip
    for journey in recorder.journeys:
        stages = journey.stages()
        for (name, _, end), (following, start, _) in pairwise(stages):
            assert end == start
            in_order = STAGES.index(name) < STAGES.index(following) or (name, following) in AGAIN
            assert in_order or name == following == "socket", (journey, stages)
        for name, start, _ in stages:
            if name in CARDS:
                assert (CARDS[name], start, journey.frame) in named, (journey, stages)
            elif name in PROCESSORS:
                assert (start, journey.frame) in works, (journey, stages)
        if journey.how == "taken":
            names = {name for name, _, _ in stages}
            assert {"wire", "receive"} <= names, (journey, stages)
            assert names & {"send", "restart"} or stages[0][0] == "wire", (journey, stages)  # from a tester


def check(test, until, seed=1):
    run, (watched, recorder) = plain(test, until, seed), recorded(test, until, seed)
    assert watched.env.events == run.env.events
    assert watched.accounts() == run.accounts()
    check_busy(watched, recorder)
    check_drops(watched, recorder)
    check_interrupts(watched, recorder)
    return watched, recorder


@pytest.mark.parametrize("name", CASES)
def test_every_tool(name):
    watched, recorder = check(scenario(name), duration(name))
    check_journeys(recorder)
    assert recorder.journeys
    under_way = len(watched.env.teller.journeys)
    assert under_way == sum(not journey.how for journey in recorder.journeys)


NETWORKS = [behind_a_switch(), on_a_segment(), routed(), routed("bridge", "p90")]
NETWORKS += [routed().replace({"hosts.gateway.system.kernel.polling": how, "hosts.gateway.system.kernel.tick": "1 ms"})
             for how in ("masked", "ticks", "constant")]  # fmt: skip
# Each sender's fragments push the other's out of the memory of their receiver.
LONG = {"kind": "datagrams", "receiver": "a", "size": 8192, "offered": "45 Mbit/s"}
NETWORKS += [behind_a_switch(flows={name: LONG | {"sender": name} for name in "bc"}).replace(
    "hosts.a.system.ip.reassembly_memory", "12 KiB")]  # fmt: skip
NETWORKS += [through_a_tunnel(), tunnel_between_testers(1472, flows={"load": {
    "kind": "datagrams", "sender": "left", "receiver": "right", "offered": "20 Mbit/s"}}).replace(
    {"links.line.link.bit_error_rate": 1e-5, "hosts.west.system.ip.reassembly_time": "500 us"})]  # fmt: skip


@pytest.mark.parametrize("test", NETWORKS)
def test_networks(test):
    watched, recorder = check(test, 8 * MS)
    check_journeys(recorder)
    assert len(recorder.journeys) > 20
    assert watched.delivered > 0


@settings(max_examples=12, deadline=None)
@given(scenarios(), st.integers(0, 2**32))
def test_any_hosts(test, seed):
    check(test, 8 * MS, seed)
