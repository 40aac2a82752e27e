"""Properties that all measuring tools share: names in files, and positional values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.scenario import Scenario
from netsim.workload import TOOLS, scenario_of
from tests.captured import TOOLS as CAPTURED
from tests.in_networks import behind_a_switch
from tests.on_servers import server_bench
from tests.packet_tools import packets, pktgen, requests
from tests.stream_hosts import stream

DMA = ns.Dma("read", 64, pcie="pcie-3-x8", root_complex="sandy-bridge-ep", engine="nfp-6000")
OTHERS: dict[str, Scenario] = {"ServerBench": server_bench(2), "Saturation": ns.Saturation(3), "Dma": DMA}
OTHERS["Flows"] = behind_a_switch()
OTHERS |= {"Pktgen": pktgen(burst=4), "Packets": packets("linux-drop-raw", cores=2, offered=10**6)}
OTHERS["Requests"] = requests(burst=3)
OTHERS["Iperf3"] = stream(streams=2)
TESTS: dict[str, Scenario] = {name: test for name, (test, _) in CAPTURED.items()} | OTHERS
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)


def test_every_tool_is_tried() -> None:
    assert {type(test) for test in TESTS.values()} == {*TOOLS.values()}


# ---- in files ----


@every_test
def test_what_a_test_writes_is_a_file_that_netsim_runs(test: Scenario, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(test.to_toml(), encoding="utf-8")
    assert test.to_toml().startswith(f'tool = "{test.tool()}"\n')
    for again in (ns.load(path), type(test).from_toml(path), type(test).from_toml(test.to_toml())):
        assert type(again) is type(test)
        assert again == test
        assert again.digest() == test.digest()


def test_a_file_of_another_tool_is_refused() -> None:
    with pytest.raises(ns.ScenarioError, match=r'^tool: "chariot" is not allowed; allowed: netperf$'):
        ns.Netperf.from_toml(TESTS["Chariot"].to_toml())


@pytest.mark.parametrize("nics", ['"3c905b/3c59x"', '["3c905b/3c59x"]'])
def test_a_class_reads_hosts_by_their_names(nics: str) -> None:
    """As in a file: with the system and the adapters next to the name, and changes to the named host."""
    host = f'model = "p166"\nsystem = "linux-2.2.16"\nnics = {nics}\nprocessors = {{ clock = "200 MHz" }}\n'
    tables = f'test = "TCP_STREAM"\n[sender]\n{host}[receiver]\n{host}'
    pc = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x").replace("processors.clock", "200 MHz")
    found = ns.Netperf.from_toml(tables)
    assert found == ns.Netperf("TCP_STREAM", pc, pc)
    assert found.sender.catalogue_name == "hosts/p166"
    assert found.get("sender.nics.0").catalogue_name == "nics/3c905b"
    known = ns.Netperf("TCP_STREAM", pc, pc).provenance()
    assert {at: one for at, one in found.provenance().items() if known[at] != one}.keys() == {
        "sender.bond", "receiver.bond",  # host() sets it to none
    }  # fmt: skip


def test_a_class_of_the_users_own_is_a_tool(tmp_path: Path) -> None:
    class Stream64(ns.Netperf):
        pass

    tables = TESTS["TCP_STREAM"].to_toml().replace('"netperf"', '"stream64"')
    (tmp_path / "own.toml").write_text(tables)
    assert type(ns.load(tmp_path / "own.toml")) is Stream64
    with pytest.raises(ns.ScenarioError, match=r'no measuring tool is called "stream65" \(did you mean "stream64"\?\)'):
        scenario_of({"tool": "stream65"})


# ---- positional values ----


@every_test
def test_the_first_values_need_no_names(test: Scenario) -> None:
    values: dict[str, Any] = {name: test.get(name) for name in type(test).model_fields}
    first = [values.pop(name) for name in test.positional]
    assert len(first) >= 1
    assert type(test)(*first, **values) == test


@every_tool
def test_the_order_is_documented(tool: type[Scenario]) -> None:
    assert f"Positional arguments: {', '.join(tool.positional)}." in " ".join(str(tool.__doc__).split())


def test_too_many_values_and_those_given_twice() -> None:
    test = TESTS["TCP_STREAM"]
    first = [test.get(name) for name in test.positional]
    with pytest.raises(ns.ScenarioError, match=r"^4 unnamed values .* Netperf; allowed: test, sender, receiver$"):
        ns.Netperf(*first, 1500)
    with pytest.raises(ns.ScenarioError, match=r"^sender: given twice"):
        ns.Netperf(*first, sender=first[1])


@pytest.mark.parametrize("make", [ns.host, ns.netware_host])
def test_an_adapter_alone_is_a_list_of_one(make: Any) -> None:
    system, nic = ("linux-2.2.16", "3c905b/3c59x") if make is ns.host else ("netx-3", "ne2000/ne2000-odi")
    model = "p166" if make is ns.host else "ast-premium-5"
    pc = make(model, system=system, nics=[nic])
    assert make(model, system=system, nics=nic) == pc
    assert make(model, system=system, nics=pc.nics[0]) == pc
    assert make(model, system=system, nics={"model": nic}) == pc
    assert make(model, system=system, nics=(one for one in [nic])) == pc
