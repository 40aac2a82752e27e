"""PERFORM3: what it reads, its figures, its mistakes, the form of its result, and its scenario files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Bounds, Resource
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.stack import NcpHostSpec
from netsim.units import KBYTE_PER_S, MBIT_PER_S

SERVER = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"])
WORKSTATION = ns.netware_host("ast-premium-5", system="netx-3", nics=["ne2000/ne2000-odi"])
EXAMPLE = Path(__file__).parents[2] / "examples" / "perform3.toml"
KIB = 1024
SYSTEMS = "csnw-nt-4.0, netware-3.11, netware-4.11, netx-3"


def perform3(number: int = 1, **changes: Any) -> ns.Perform3:
    given = {"server": SERVER, "workstations": [WORKSTATION] * number, **changes}
    return ns.Perform3(**given)


def quick(test: ns.Perform3) -> ns.Result:
    return ns.simulate(test, precision=0.02, limit="0.3 s")


# --- the test --------------------------------------------------------------------------------------------------------


def test_files_of_one_to_ten_kilobytes_have_half_a_minute_each() -> None:
    """The report: "Test Time: 30 Seconds, File Sizes: 1K to 10K Bytes, Increment: 1K Bytes"."""
    test = perform3()
    assert test.file_sizes == tuple(number * KIB for number in range(1, 11))
    assert test.duration == 30 * 10**12
    assert test.min_iterations == test.max_iterations == 10
    assert [test.turn(number).file_sizes for number in (0, 9, 10)] == [(KIB,), (10 * KIB,), (KIB,)]


@pytest.mark.parametrize("iterations", [1, 3, 4, 5, 10])
def test_every_size_has_as_many_turns(iterations: int) -> None:
    """As many as fit into the iterations, at least one."""
    test = perform3(file_sizes=[1024, 1030, 1040], min_iterations=iterations, max_iterations=iterations)
    made = ns.simulate(test, precision=0.1, limit="30 ms").iterations
    assert len(made) == test.iterations[0] == test.iterations[1] == {1: 3, 3: 3, 4: 3, 5: 3, 10: 9}[iterations]


@pytest.mark.parametrize(
    ("size", "largest", "burst", "requests"),
    [
        (1024, 1024, 0, 1), (1025, 1024, 0, 2), (9 * KIB, 1024, 0, 9), (1024, 512, 0, 2), (7, 512, 0, 1),
        (9 * KIB, 1024, 16 * KIB, 1), (9 * KIB, 1024, 4 * KIB, 3), (2048, 1024, 512, 2),
    ],
)  # fmt: skip
def test_a_file_is_read_by_as_many_requests_as_it_takes(size: int, largest: int, burst: int, requests: int) -> None:
    """Each request reads the largest amount that both ends agree to: a frame's, or a burst's."""
    for less, other in (("server", "workstations.0"), ("workstations.0", "server")):
        sizes = {f"{less}.system.ncp.largest": largest, f"{less}.system.ncp.burst": burst}
        test = perform3(file_sizes=[size]).replace(sizes | {f"{other}.system.ncp.burst": 32 * KIB})
        run = test.build(Environment(1))
        run.start()
        while run.delivered < 3 * size:
            run.env.step()
        assert run.workstations[0].requests == 3 * requests + 1  # and it asks for the next file
        assert test.bounds().bottleneck == "workstations"


def test_stations_are_along_the_cable_or_around_the_hub() -> None:
    test = perform3(3, spacing=10)
    assert [test.position(number) for number in range(4)] == [0, 10, 20, 30]
    hub = test.replace("segment", "10base-t-hub")
    assert {hub.position(number) for number in range(4)} == {10}
    assert quick(hub).throughput == pytest.approx(quick(test).throughput, rel=0.05)


def test_files_are_read_by_turns_of_whole_requests() -> None:
    run = perform3(file_sizes=[2500]).build(Environment(1))
    run.start()
    run.env.run(until=10**11)
    assert run.delivered % 2500 in (0, 1024, 2048)
    assert run.server.requests in (run.workstations[0].requests, run.workstations[0].requests - 1)


def test_nothing_is_read_that_was_not_sent() -> None:
    run = perform3().build(Environment(1))
    run.start()
    run.env.run(until=10**11)
    run.audit()
    run.server.replied_bytes = run.delivered - 1
    with pytest.raises(ConservationError, match="bytes read"):
        run.audit()


# --- what it prints --------------------------------------------------------------------------------------------------


def test_a_result_is_in_the_tools_unit() -> None:
    result = quick(perform3(5))
    first, *lines = str(result).split("\n")
    rate, unit = first.split()[1:3]
    assert (float(rate), unit) == (pytest.approx(result.throughput / 8000, abs=0.06), "KB/s")
    assert any(line.startswith("pairs") and line.endswith("KB/s") for line in lines)
    assert any(line.startswith("segment") and "collisions" in line for line in lines)
    assert "Mbit/s" not in str(result) + result._repr_html_()
    busy = 100 * max(result.cpu.values())
    assert f"{result.throughput / 8000 / busy:.2f} KB/s per % of CPU" in result._repr_html_()


def test_data_are_in_bits_per_second_whatever_is_printed() -> None:
    result = quick(perform3())
    assert json.loads(result.to_json())["throughput"] == result.throughput
    assert result.throughput == pytest.approx(sum(result.pairs.values()), rel=0.02)


def test_bounds_are_in_the_tools_unit() -> None:
    bounds = perform3(5).bounds()
    assert str(bounds).split("\n")[0].split() == ["wire", "segment", f"{bounds.limit / 8000:.2f}", "KB/s"]


@pytest.mark.parametrize(("unit", "text"), [(MBIT_PER_S, "8.00 Mbit/s"), (KBYTE_PER_S, "1000.00 KB/s")])
def test_units(unit: Any, text: str) -> None:
    assert str(Bounds({Resource("", "segment"): 10**9}, 1000, unit)).endswith(text)


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_of_what_workstations_share_the_bound_takes_the_one_that_needs_least() -> None:
    """A workstation that agrees to smaller reads needs more requests for a file; it may be the first or the second."""
    small = WORKSTATION.replace("system.ncp.largest", 256)
    one, other = (perform3(workstations=[each]).bounds().demand for each in (WORKSTATION, small))
    assert all(one[name] < other[name] for name in one)
    for pair in ([WORKSTATION, small], [small, WORKSTATION]):
        both = perform3(workstations=pair).bounds().demand
        assert {name: both[name] for name in both if name != "workstations"} == {
            name: one[name] for name in one if name != "workstations"
        }
        assert both["workstations"] < one["workstations"]


# --- mistakes --------------------------------------------------------------------------------------------------------


def refused(make: Any, address: str, *words: str) -> None:
    with pytest.raises(ScenarioError) as error:
        make()
    assert error.value.address == address
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", ["workstations", "file_sizes"])
def test_there_is_somebody_to_read_something(name: str) -> None:
    refused(lambda: perform3(**{name: []}), name, "[] is not allowed; allowed: at least one")


@pytest.mark.parametrize("address", ["server", "workstations.1"])
def test_a_host_needs_an_adapter(address: str) -> None:
    refused(lambda: perform3(2).replace(f"{address}.nics", []), f"{address}.nics", "at least one adapter")


def test_an_adapter_does_the_segments_rate() -> None:
    refused(lambda: perform3(segment="100base-tx-hub"), "segment.rate", "100000000 bit/s", "server", "10000000")


@pytest.mark.parametrize("address", ["server", "workstations.0"])
def test_a_reply_fits_into_a_frame(address: str) -> None:
    """1446 + 54 + 18 is exactly the largest frame."""
    test = perform3().replace(f"{address}.system.ncp.largest", 1460)
    assert test.get(f"{address}.system.ncp.largest") == 1460
    more = f"{address}.system.ncp.largest"
    refused(lambda: test.replace(more, 1461), more, "1461 bytes make frames of 1519", "adapter", "(1518)")
    small = test.replace("segment.mtu", 1500)
    refused(lambda: small.replace("segment.mtu", 1499), "server.system.ncp.largest" if address == "server" else more,
            "the segment accepts (1517)")  # fmt: skip


def test_a_cable_too_long_for_the_slot_time_is_refused() -> None:
    """The segment refuses it, and says how much is allowed."""
    refused(lambda: perform3(5, spacing=2000), "spacing", "allowed: ")


@pytest.mark.parametrize("address", ["server", "workstations.0"])
def test_a_system_of_another_kind_is_refused(address: str) -> None:
    """The message names the address and the existing systems."""
    system = f"{address}.system"
    refused(lambda: perform3().replace(system, "linux-2.2.16"), system, '"linux-2.2.16"', SYSTEMS)
    refused(lambda: perform3().replace(system, "netx3"), system, 'did you mean "netx-3"?')


def test_a_machine_with_another_kind_of_system_is_refused() -> None:
    other = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
    refused(lambda: perform3(server=other), "server", "is not a valid NcpHostSpec; allowed: a table with processors")


@pytest.mark.parametrize("address", ["server", "workstations.0"])
def test_a_card_for_another_bus_is_refused(address: str) -> None:
    nic = f"{address}.nics.0"
    refused(lambda: perform3().replace(nic, "3c905b/3c59x"), f"{nic}.bus_standard", '"pci" does not fit', "allowed")


def test_netware_machines_are_in_the_catalogue() -> None:
    assert isinstance(WORKSTATION, NcpHostSpec)
    refused(lambda: ns.netware_host("ast-premium", system="netx-3"), "", 'did you mean "ast-premium-5"?')
    refused(lambda: ns.netware_host("ast-premium-5", system="linux-2.2.16"), "system", f"allowed: {SYSTEMS}")
    refused(
        lambda: ns.netware_host("ast-premium-5", system="netx-3", nics=["ne2000x/ne2000-odi"]),
        "nics.0", 'did you mean "ne2000"?',
    )  # fmt: skip


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_scenario_file() -> None:
    test = ns.load(EXAMPLE)
    assert isinstance(test, ns.Perform3)
    assert test.server == SERVER
    assert test.workstations[0] == WORKSTATION
    assert len(test.workstations) == 2


def test_a_scenario_is_read_back(tmp_path: Path) -> None:
    test = ns.load(EXAMPLE)
    copy = tmp_path / "copy.toml"
    copy.write_text(test.to_toml())
    assert ns.load(copy) == test


def test_a_mistake_in_a_file_is_at_its_address(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(EXAMPLE.read_text().replace('system = "netx-3"', 'system = "windows-2000"', 1))
    with pytest.raises(ScenarioError, match=rf"^workstations\.0\.system: .*allowed: {SYSTEMS}") as error:
        ns.load(file)
    assert error.value.file == str(file)


@pytest.mark.parametrize("wrong", ['"nothing"', "[3]", "{ model = 3 }", "{ nics = [] }"])
def test_what_is_no_machine_in_a_file_is_refused(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(f'tool = "perform3"\nserver = {wrong}\nworkstations = [{wrong}]\n')
    with pytest.raises(ScenarioError, match=r"^server") as error:
        ns.load(file)
    assert error.value.file == str(file)
