"""Resources and places: strings with fields of their own, and the table with a bound beside each measured share."""

import ast
import copy
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Bounds, DropPlace, Resource
from tests.named import resource
from tests.on_servers import net_bench

RESOURCES = [
    (Resource("sender", "processor", 0), "sender processor 0", False),
    (Resource("sender", "processors"), "sender processors", False),
    (Resource("sender", "bus"), "sender bus", False),
    (Resource("sender", "bus", 1), "sender bus 1", False),
    (Resource("sender", "transmitter", 2), "sender nic 2 transmitter", False),
    (Resource("server", "SCSI channel", 1), "server SCSI channel 1", False),
    (Resource("receiver", "cable"), "wire to receiver", True),
    (Resource("receiver", "cable", 3), "wire 3 to receiver", True),
    (Resource("client1", "uplink"), "wire client1 to switch", True),
    (Resource("server", "downlink", 2), "wire switch to server 2", True),
    (Resource("", "segment"), "wire segment", True),
    (Resource("", "segment", 0), "wire segment 0", True),
    (Resource("", "latency"), "latency", False),
    (Resource("uplink to server", "link"), "wire uplink to server", True),
    (Resource("coax", "segment"), "wire coax segment", True),
]


@pytest.mark.parametrize(("one", "text", "wire"), RESOURCES)
def test_a_resource_is_its_text_and_knows_its_fields(one: Resource, text: str, wire: bool) -> None:
    assert (str(one), {one: 1}[text], one.is_wire) == (text, 1, wire)
    assert one.is_in(one.host) is not wire
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one)), resource(text)):
        assert (twin, twin.host, twin.kind, twin.number) == (one, one.host, one.kind, one.number)


def test_a_place_knows_what_was_ahead() -> None:
    wire = Resource("client1", "downlink")
    port = DropPlace("switch", "port to client1", wire)
    backlog = DropPlace("server", "backlog")
    assert (port, backlog) == ("switch: port to client1", "server: backlog")
    assert port.comes_before(wire)
    assert not port.comes_before(Resource("client1", "processor", 0))
    assert backlog.comes_before(Resource("server", "processor", 0))
    assert not backlog.comes_before(Resource("server", "transmitter", 0))
    assert not backlog.comes_before(Resource("server", "uplink"))
    assert [place.on_a_wire for place in (port, backlog, DropPlace(wire, "bit errors"))] == [False, False, True]
    assert pickle.loads(pickle.dumps(port)).ahead == wire


def test_a_transmit_queue_waits_for_its_wire_and_for_its_host() -> None:
    wire = Resource("far to b", "link")
    queue = DropPlace("gateway", "transmit queue", wire, 1)
    again = pickle.loads(pickle.dumps(queue))
    assert (str(again), again.fields(), str(again.itself)) == (
        "gateway: transmit queue 1", queue.fields(), "gateway transmit queue 1")  # fmt: skip
    before = [wire, Resource("gateway", "bus"), Resource("gateway", "processor", 0)]
    others = [Resource("near to a", "link"), Resource("gateway", "transmitter", 1), Resource("b", "bus")]
    assert [queue.comes_before(one) for one in (*before, *others)] == [True] * 3 + [False] * 3


def test_a_bound_stands_beside_its_measured_share() -> None:
    pc = ns.host("p166", system="linux-2.2.16", nics=["lne100tx/tulip"])
    result = ns.simulate(ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc), limit="0.3 s")
    table, bounds = result.resources(), result.scenario.bounds()
    assert {*table.index} == {*bounds.demand, *result.utilisation}
    for one in bounds.demand:
        row = table.loc[one]
        assert row["allowed"] == bounds.throughput(one)
        assert row["needed"] == pytest.approx(result.throughput / row["allowed"])
        # no simulation beats the closed form, but data in flight at the window's edges may count
        assert row["busy"] >= row["needed"] * (1 - result.half_width / result.throughput)
    assert table.loc["receiver processors", "busy"] == result.cpu["receiver"]
    assert math.isnan(table.loc["receiver processor 0", "allowed"])
    assert [*table.loc["sender bus", ["host", "kind"]]] == ["sender", "bus"]


def test_bounds_alone_are_at_their_limit() -> None:
    table = net_bench().bounds().to_frame()
    assert table["needed"].max() == pytest.approx(1)
    assert [*table.columns] == ["host", "kind", "number", "allowed", "needed"]


# --- no name is parsed -----------------------------------------------------------------------------------------------

TAKE_APART = {"partition", "rpartition", "split", "rsplit", "startswith", "endswith", "removeprefix", "removesuffix"}
ROOMS = (
    "accounts", "engine", "ethernet", "bus", "nic", "storage", "machine", "stack", "topology", "closed_form",
    "workload", "measure", "results", "watch", "export", "show",
)  # fmt: skip
OTHERWISE = {
    "export/whole_file.py": "the first and last bytes of a file",
    "machine/host_spec.py": "a name in the catalogue: category/name",
    "results/saved.py": "an error's lines",
    "show/latency_view.py": "a stage's name: place: stage",
    "machine/adapter.py": "a card and its driver, as a user writes them: card:ports/driver",
    "topology/network.py": "a host and its port, as a user writes them",
    "workload/packet_scenario.py": "an address",
    "stack/ipsec_spec.py": "a cipher and an authentication, as a user writes them",
    "results/samples.py": "columns of numbers",
    "show/differences.py": "addresses, and a name in the catalogue",
    "show/spec_view.py": "a name in the catalogue: category/name",
    "show/result_view.py": "two percentages",
    "export/perfetto_trace.py": "the first bytes of a file",
    "show/run_intervals.py": "a column of a sweep's table",
    "show/sweep_picture.py": "the same",
    "show/grid_picture.py": "a line's label, which matplotlib hides",
    "show/advice_view.py": "an address",
    "bus/pcix.py": "how a chipset answers a read",
    "bus/pcix_slot.py": "the same",
    "measure/offered_loads.py": "an address",
    "show/timeline_picture.py": "words at a bar, as far as there is room",
}


def test_no_resource_name_is_parsed() -> None:
    """The rooms that know resources never parse a text, except for a few texts that are not resource names."""
    root = Path(ns.__file__).parent
    found = set()
    for file in (file for room in ROOMS for file in (root / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            parsed = isinstance(node, ast.Attribute) and node.attr in TAKE_APART
            if parsed or (isinstance(node, ast.Import) and any(one.name == "re" for one in node.names)):
                found.add(file.relative_to(root).as_posix())
    assert found == set(OTHERWISE)


def test_bounds_have_a_resource() -> None:
    with pytest.raises(ns.ScenarioError, match=r"^demand: \{\} is not allowed; allowed: at least one resource$"):
        Bounds({}, 1)


@pytest.mark.parametrize(
    ("key", "shown"), [("receiver bus", '"receiver bus"'), ((Resource("", "segment"),), '["wire segment"]')]
)
def test_bounds_are_those_of_resources(key: object, shown: str) -> None:
    with pytest.raises(ns.ScenarioError) as told:
        Bounds({Resource("sender", "bus"): 1.0, key: 2.0}, 1)  # type: ignore[dict-item]
    assert str(told.value) == f'demand: {shown} is not a resource; allowed: such as Resource("sender", "bus")'


@pytest.mark.parametrize(("time", "shown"), [(-1, "-1"), (math.nan, "NaN"), (math.inf, "Infinity"), ("x", '"x"')])
def test_bounds_are_times(time: Any, shown: str) -> None:
    with pytest.raises(ns.ScenarioError) as told:
        Bounds({Resource("sender", "bus"): time}, 1)
    assert str(told.value) == f"demand of sender bus: {shown} is not allowed; allowed: a time in ps, 0 or more"
