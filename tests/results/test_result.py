"""Result: its numbers from the accounts, and its display."""

import json
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.results.bottleneck import bottleneck
from netsim.results.fairness import fairness
from netsim.results.iteration import Iteration
from netsim.statistics import Estimate
from tests.named import by_place, by_resource

HALF = {"sender processor 0": {"copy": 300, "protocol": 200}, "receiver processor 0": {"copy": 400, "checksum": 100}}


def accounts(busy: Any = None, occupied: Any = None, drops: Any = None) -> Accounts:
    wires = {"wire to receiver": 500, "sender nic 0 transmitter": 500, "sender bus": 100, "receiver bus": 100}
    return Accounts(
        elapsed=1000,
        delivered=10**6,
        busy=by_resource(HALF | (busy or {})),
        occupied=by_resource(wires | (occupied or {})),
        frames=by_resource({"wire to receiver": 900, "wire to sender": 100}),
        drops=by_place(drops or {}),
    )


@pytest.mark.parametrize(
    ("busy", "occupied", "drops", "name", "share"),
    [
        ({}, {}, {}, "latency", 0.5),
        ({}, {"wire to receiver": 995, "sender nic 0 transmitter": 1000}, {}, "wire to receiver", 0.995),
        ({}, {"wire to receiver": 900, "sender nic 0 transmitter": 975}, {}, "sender nic 0 transmitter", 0.975),
        ({}, {"wire to receiver": 900, "sender nic 0 transmitter": 960}, {}, "latency", 0.96),
        ({"receiver processor 0": {"copy": 1000}}, {}, {}, "receiver processor 0", 1.0),
        ({"receiver processor 0": {"copy": 1000}}, {"wire to receiver": 998}, {}, "wire to receiver", 0.998),
        ({}, {"sender bus": 960}, {}, "sender bus", 0.96),
        # the wire is full of frames that the receiver can't take
        ({"receiver processor 0": {"copy": 990}}, {"wire to receiver": 1000}, {"receiver: backlog": 300},
         "receiver processor 0", 0.99),
        ({}, {"wire to receiver": 1000}, {"receiver: socket buffer": 300}, "receiver socket buffer", 0.3),
        ({}, {"wire to receiver": 1000}, {"receiver: socket buffer": 3}, "wire to receiver", 1.0),
        # no wire counts the frames that a sender drops
        ({}, {}, {"sender: transmit queue": 3000}, "sender transmit queue", 0.75),
        # of a full wire, a full bus, or neither
        ({}, {"wire to receiver": 992, "sender bus": 1000}, {"sender: transmit queue before wire to receiver": 3000},
         "wire to receiver", 0.992),
        ({}, {"wire to sender": 992, "sender bus": 960}, {"sender: transmit queue before wire to receiver": 3000},
         "sender bus", 0.96),
        ({}, {"wire to sender": 992}, {"sender: transmit queue before wire to receiver": 3000},
         "sender transmit queue", 0.75),
        ({}, {"wire to receiver": 1000}, {"wire to receiver: bit errors": 300}, "wire to receiver", 1.0),
        # frames that a switch drops were meant for the wire behind it, which is full or not
        ({}, {"wire switch to client1": 995, "wire client2 to switch": 1000}, {"switch: port to client1": 300},
         "wire switch to client1", 0.995),
        ({}, {"wire switch to client1": 900, "wire client2 to switch": 1000}, {"switch: port to client1": 300},
         "switch port to client1", 0.3),
        ({}, {"wire switch to client1": 900, "wire client2 to switch": 1000}, {"switch: port to client1": 3},
         "wire client2 to switch", 1.0),
        ({"client2 processor 0": {"copy": 990}}, {"wire switch to client1": 900}, {"switch: port to client1": 300},
         "switch port to client1", 0.3),
    ],
)  # fmt: skip
def test_the_bottleneck(busy: Any, occupied: Any, drops: Any, name: str, share: float) -> None:
    assert bottleneck(accounts(busy, occupied, drops)) == (name, pytest.approx(share))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [(1000, "sender nic 0 transmitter"), (960, "latency"), (0, "latency")],
)
def test_a_transmitter_is_full_while_frames_wait_for_it(wanted: int, name: str) -> None:
    """One that is busy all the time, with one frame at a time, may be able to send more."""
    found = accounts({}, {"wire to receiver": 940, "sender nic 0 transmitter": 1000})
    found = replace(found, wanted=by_resource({"sender nic 0 transmitter": wanted}))
    assert bottleneck(found) == (name, 1.0)


@pytest.mark.parametrize(
    ("occupied", "sending", "name"),
    [(1000, 0.98, "sender nic 0 transmitter"), (1000, 0.96, "latency"), (960, 0.98, "latency")],
)
def test_a_transmitter_is_full_if_what_it_sends_needs_all_of_its_time(
    occupied: int, sending: float, name: str
) -> None:
    found = accounts({}, {"sender nic 0 transmitter": occupied})
    found = replace(found, wanted=by_resource({"sender nic 0 transmitter": 500}))
    assert bottleneck(found, sending=by_resource({"sender nic 0 transmitter": sending}))[0] == name


def test_behind_a_small_window_each_frame_may_arrive_just_in_time() -> None:
    """Only a faster transmitter sends more then, although frames don't always wait for it."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics="rtl8139/rtl8139")
    test = ns.Netperf("TCP_STREAM", pc, pc, send_buffer=4344, receive_buffer=4344)
    result = ns.simulate(test, precision=0.05, limit="0.3 s")
    assert result.bottleneck == test.bounds().bottleneck == "sender nic 0 transmitter"


def test_in_a_series_it_is_full_if_that_much_of_it_is_needed() -> None:
    """At the smaller sizes nothing waits."""
    found = accounts({}, {"sender nic 0 transmitter": 300})
    found = replace(found, wanted=by_resource({"sender nic 0 transmitter": 10}))
    assert bottleneck(found, by_resource({"sender nic 0 transmitter": 0.98})) == ("sender nic 0 transmitter", 0.98)


@pytest.mark.parametrize(
    ("card", "offered", "name"),
    [
        ("3c905b/3c59x", "90 Mbit/s", "offered load"),  # it fetches the next frame while one is sent
        ("3c905b/3c59x", None, "wire to receiver"),
        ("rtl8139/rtl8139", "80 Mbit/s", "offered load"),
        ("rtl8139/rtl8139", "90 Mbit/s", "sender nic 0 transmitter"),  # it sends 88.6
    ],
)
def test_a_transmitter_that_sends_all_that_is_offered_is_no_bottleneck(
    card: str, offered: str | None, name: str
) -> None:
    pc = ns.host("piii-600", system="linux-2.2.16", nics=card)
    test = ns.Netperf("UDP_STREAM", pc, pc, message=1472, offered=offered)
    result = ns.simulate(test, precision=0.05, limit="0.3 s")
    assert result.bottleneck == name
    assert result.utilisation["sender nic 0 transmitter"] > 0.9


@pytest.mark.parametrize(
    ("delivered", "occupied", "drops", "name", "share"),
    [
        (0.995, {}, {}, "offered load", 0.995),
        (0.985, {}, {}, "latency", 0.5),
        (1.0, {"sender nic 0 transmitter": 1000}, {}, "offered load", 1.0),  # its frames wait for the wire in turn
        (1.0, {"wire to receiver": 995}, {}, "wire to receiver", 0.995),
        (1.0, {"sender nic 0 transmitter": 960}, {"receiver: backlog": 300}, "receiver backlog", 0.3),
    ],
)
def test_a_load_that_is_delivered_is_the_bottleneck(
    delivered: float, occupied: Any, drops: Any, name: str, share: float
) -> None:
    found = accounts({}, occupied, drops)
    assert bottleneck(found, by_resource({"offered load": delivered})) == (name, pytest.approx(share))


@pytest.mark.parametrize(
    ("place", "sent", "name", "share"),
    [
        ("wire to receiver: bit errors", 1000, "offered load", 0.8),  # datagrams of many frames, perhaps
        ("wire to receiver: bit errors", 980, "latency", 0.5),  # the sender is late, too
        ("receiver: backlog", 1000, "latency", 0.5),
    ],
)
def test_a_load_of_which_wires_lose_a_part_is_the_bottleneck(place: str, sent: int, name: str, share: float) -> None:
    """Its sender does not wait for them. Of 1000 datagrams, 800 are delivered."""
    found = replace(accounts(drops={place: 5}), counts={"datagrams sent": sent, "datagrams received": 800})
    assert bottleneck(found, by_resource({"offered load": 0.8})) == (name, pytest.approx(share))


@pytest.mark.parametrize(
    ("wanted", "processor", "name", "share"),
    [
        (1000, 0, "wire segment", 1.0),  # stations always have a frame to send, and often collide
        (910, 0, "wire segment", 0.91),
        (890, 0, "latency", 0.8),
        (0, 0, "latency", 0.8),
        (890, 960, "receiver processor 1", 0.96),
    ],
)
def test_a_segment_is_full_while_a_station_has_something_to_send(
    wanted: int, processor: int, name: str, share: float
) -> None:
    """However much of it their backoff leaves unused. The share is that of the time in which one has."""
    found = accounts({"receiver processor 1": {"copy": processor}}, {"wire segment": 800})
    found = replace(found, wanted=by_resource({"wire segment": wanted}))
    assert bottleneck(found) == (name, pytest.approx(share))


def test_a_datagram_that_is_dropped_is_all_of_its_frames() -> None:
    """Of 22 datagrams, each of 45 frames on a full wire, half are dropped; a backlog drops few frames."""
    dropped = accounts({}, {"wire to receiver": 1000}, {"receiver: socket buffer": 11, "receiver: backlog": 12})
    known = replace(dropped, counts={"datagrams sent": 22})
    assert bottleneck(dropped) == ("receiver backlog", pytest.approx(0.012))
    assert bottleneck(known) == ("receiver socket buffer", 0.5)
    assert bottleneck(replace(known, counts={"datagrams sent": 10})) == ("receiver socket buffer", 1.0)
    few = replace(known, drops=by_place({"receiver: socket buffer": 1}), counts={"datagrams sent": 200})
    assert bottleneck(few)[0] == "wire to receiver"


def iterations(*each: dict[str, int]) -> list[Iteration]:
    return [Iteration(Estimate(1.0, 0.1, 0.01, 4), Accounts(elapsed=1000, pairs=pairs), 1000, 10) for pairs in each]


@pytest.mark.parametrize(
    ("each", "index"),
    [
        ([{"a": 7, "b": 7}], 1.0),
        ([{"a": 7, "b": 0}, {"a": 0, "b": 7}], 0.5),  # although each has half of what both iterations carry
        ([{"a": 7}, {"b": 7}], 0.5),
        ([{"a": 7, "b": 0}, {"a": 7, "b": 7}], 0.75),
        ([{"a": 7, "b": 0}, {"a": 0, "b": 0}], 0.5),
        ([{"a": 0, "b": 0}], None),
        ([{"a": 7}], None),
        ([{}], None),
    ],
)
def test_fairness_is_that_of_an_iteration(each: list[dict[str, int]], index: float | None) -> None:
    assert fairness(dict.fromkeys(name for pairs in each for name in pairs), iterations(*each)) == index


def test_large_datagrams_that_a_socket_loses_are_told() -> None:
    fast, slow = (ns.host(model, system="linux-2.2.16", nics="3c905b/3c59x") for model in ("piii-600", "p166"))
    slow = slow.replace("processors.clock", "300 MHz")
    result = ns.simulate(ns.Netperf("UDP_STREAM", fast, slow, message=32768), precision=0.02)
    lost = result.drops["receiver: socket buffer"] / result.counts["datagrams sent"]  # type: ignore[index]
    assert lost == pytest.approx(0.5, abs=0.01)
    assert result.bottleneck == "receiver socket buffer"
    assert result.bottleneck_share == lost


@pytest.fixture(scope="module")
def wire_bound() -> ns.Result:
    sender = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    receiver = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.simulate(ns.Netperf(test="TCP_STREAM", sender=sender, receiver=receiver), precision=2e-5)


@pytest.fixture(scope="module")
def lossy() -> ns.Result:
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    link = {"model": "100base-tx", "bit_error_rate": 1e-6}
    return ns.simulate(ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc, link=link), limit="300 ms", precision=1e-5)


def test_a_host_is_as_busy_as_its_processors_on_average(wire_bound: ns.Result) -> None:
    both = [wire_bound.utilisation[f"receiver processor {number}"] for number in (0, 1)]
    assert wire_bound.cpu["receiver"] == pytest.approx(sum(both) / 2)
    assert sum(wire_bound.cpu_by_name("receiver").values()) == pytest.approx(wire_bound.cpu["receiver"])
    assert sum(wire_bound.processors["sender processor 0"].values()) == pytest.approx(wire_bound.cpu["sender"])


def test_performance_efficiency_is_throughput_over_cpu(wire_bound: ns.Result) -> None:
    """An index of 5.8 for 567 Mbit/s at 98 % (Tolly Group 201105)."""
    made_up = replace(wire_bound, throughput=567e6, cpu={"server": 0.98, "client1": 0.0})
    assert made_up.performance_efficiency == {"server": pytest.approx(5.786, abs=1e-3)}
    data = wire_bound.to_dict()["performance_efficiency"]
    assert data["sender"] == pytest.approx(wire_bound.throughput / 1e8 / wire_bound.cpu["sender"])
    assert wire_bound.to_frame().iloc[0]["performance_efficiency.receiver"] == data["receiver"]


def test_the_result_knows_where_it_comes_from(wire_bound: ns.Result) -> None:
    assert wire_bound.scenario_hash == wire_bound.scenario.hash12
    assert (wire_bound.seed, wire_bound.version) == (1, ns.__version__)
    assert wire_bound.frames > 0
    assert wire_bound.events > wire_bound.frames
    assert 0 < wire_bound.elapsed < wire_bound.simulated


def test_text(wire_bound: ns.Result) -> None:
    first, sender, receiver, *locks = str(wire_bound).split("\n")
    assert first.startswith(f"TCP_STREAM   {wire_bound.throughput / 1e6:.2f} Mbit/s  +/- <0.01 (99 %)")
    assert first.endswith("limited by the wire (100.0 %)")
    assert sender.startswith("sender       CPU ")
    assert receiver.startswith("receiver     CPU ")
    assert "copy" in receiver
    assert sender.index("bus ") == receiver.index("bus ")
    assert [line.split(" held ")[0] for line in locks] == [f"lock         {name}" for name in wire_bound.waiting]


def test_an_interpreter_shows_a_line(wire_bound: ns.Result) -> None:
    """Its scenario and its samples would be thousands of characters."""
    assert repr(wire_bound) == "<Result: TCP_STREAM 94.12 Mbit/s +/- <0.01 (99 %), limited by the wire (100.0 %)>"
    assert repr([wire_bound]) == f"[{wire_bound!r}]"


def test_trouble_is_shown_where_there_is_any(lossy: ns.Result) -> None:
    assert lossy.dropped["wire to receiver: bit errors"] > 0
    assert set(lossy.dropped) < set(lossy.drops)
    lines = dict(line.split("   ", 1) for line in str(lossy).split("\n"))
    assert "wire to receiver: bit errors" in lines["dropped"]
    assert "retransmitted segments" in lines["TCP"]
    assert re.search(r"half-width [\d.]+ % where 0.001 % was asked for, in [\d.]+ s of simulated time$", lines["note"])


def test_data_and_json(wire_bound: ns.Result) -> None:
    data = json.loads(wire_bound.to_json())
    assert data["throughput"] == wire_bound.throughput
    assert data["scenario"]["sender.processors.clock"] == 600_000_000
    assert data["iterations"] == list(wire_bound.iterations)
    assert data["processors"]["sender processor 0"]["copy"] > 0
    assert data.keys() == wire_bound.to_dict().keys()


def test_a_result_can_go_to_another_process(wire_bound: ns.Result) -> None:
    assert pickle.loads(pickle.dumps(wire_bound)) == wire_bound


def test_a_table_row(wire_bound: ns.Result) -> None:
    frame = wire_bound.to_frame()
    assert frame.shape[0] == 1
    row = frame.iloc[0]
    assert row["throughput"] == wire_bound.throughput
    assert row["cpu.sender"] == wire_bound.cpu["sender"]
    assert row["utilisation.wire to receiver"] == wire_bound.utilisation["wire to receiver"]
    assert row["iterations"] == 2
    assert not any(isinstance(value, dict | list) for value in row)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.cells += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html(wire_bound: ns.Result) -> None:
    text = wire_bound._repr_html_()
    tags = Tags(text)
    assert tags.open == []
    # Also the P/E of the host with the highest load, and the waiting for each lock.
    assert tags.cells == 1 + len(wire_bound.utilisation) + len(wire_bound.waiting)
    efficiency = wire_bound.performance_efficiency
    most = max(efficiency, key=lambda host: wire_bound.cpu[host])
    assert f"{most} {efficiency[most]:.2f} Mbit/s per % of CPU" in text
    assert f"{wire_bound.throughput / 1e6:.2f} Mbit/s" in text
    assert "&lt;0.01" in text
    assert "#" not in text  # no colours of its own
    assert wire_bound.scenario_hash in text
