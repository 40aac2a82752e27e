"""The catalogue as shipped: every file is a spec, every number has a source, every pair fits."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import netsim as ns
from experiments import latency_stages, packet_rates, perform3, reports, tcp_100g, tolly_200233, tolly_201105
from experiments.families import members
from netsim import catalog
from netsim.bus import (
    BridgeSpec,
    BusSpec,
    ChipsetSpec,
    CreditsSpec,
    DmaEngineSpec,
    IommuSpec,
    PcieSpec,
    PcieSwitchSpec,
    RootComplexSpec,
)
from netsim.catalog import NOTES, UNSOURCED, Provenance
from netsim.catalog.provenance import MODEL_KINDS
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec, SegmentSpec, SwitchSpec
from netsim.ethernet.pause_spec import PauseSpec
from netsim.machine import DriverSpec, NapiSpec, PacketActionSpec, QueueDriverSpec, ServerSpec
from netsim.machine.polling_spec import PollingSpec
from netsim.nic import NicSpec, QueuedNicSpec, SlaveSpec
from netsim.nic.compression_spec import CompressionSpec
from netsim.scenario import host
from netsim.spec import Spec
from netsim.stack import BondSpec, ComputerSpec, MessageProtocolSpec, MpiSpec, NcpHostSpec, SocketPathSpec
from netsim.stack.computer_spec import NetworkSystemSpec
from netsim.stack.ipsec_spec import AuthenticationSpec, CipherSpec, IpsecCostsSpec
from netsim.stack.ncp_spec import NcpSystemSpec
from netsim.storage import ControllerSpec, DiskSpec
from netsim.workload.netbench.file_mix import FileMixSpec
from netsim.workload.serverbench.server_mix import ServerMixSpec
from tests import pcie_dma

HOSTS, SYSTEMS, NETWARE = (catalog.names(category) for category in ("hosts", "systems", "netware"))


def _card(name: str) -> Spec:
    kinds = {"adapter": NicSpec, "processor": SlaveSpec}
    return kinds[catalog.read("nics", name)[0].get("moved_by", "adapter")].from_catalog("nics", name)


def _first_of(family: str) -> Spec:
    """A family is not a spec by itself: it becomes one through its members."""
    category, name = members(family)[0]
    return LOADED[category](name)


# How a file becomes a spec, by category; a host's file has no system, a card's no driver.
LOADED: dict[str, Callable[[str], Spec]] = {
    "adapters": QueuedNicSpec.from_name,
    "authentications": AuthenticationSpec.from_name,
    "bonds": BondSpec.from_name,
    "bridges": BridgeSpec.from_name,
    "buses": BusSpec.from_name,
    "chipsets": ChipsetSpec.from_name,
    "ciphers": CipherSpec.from_name,
    "compressions": CompressionSpec.from_name,
    "controllers": ControllerSpec.from_name,
    "disks": DiskSpec.from_name,
    "dma-engines": DmaEngineSpec.from_name,
    "drivers": DriverSpec.from_name,
    "families": _first_of,
    "file-mixes": FileMixSpec.from_name,
    "hosts": partial(host, system=SYSTEMS[0]),
    "iommus": IommuSpec.from_name,
    "ipsec": IpsecCostsSpec.from_name,
    "kernels": NapiSpec.from_name,
    "links": LinkSpec.from_name,
    "message-protocols": MessageProtocolSpec.from_name,
    "mpi": MpiSpec.from_name,
    "netware": NcpSystemSpec.from_name,
    "nics": _card,
    "packet-actions": PacketActionSpec.from_name,
    "pauses": PauseSpec.from_name,
    "pcie": PcieSpec.from_name,
    "pcie-credits": CreditsSpec.from_name,
    "pcie-switches": PcieSwitchSpec.from_name,
    "polling": PollingSpec.from_name,
    "queue-drivers": QueueDriverSpec.from_name,
    "root-complexes": RootComplexSpec.from_name,
    "segments": SegmentSpec.from_name,
    "server-mixes": ServerMixSpec.from_name,
    "servers": ServerSpec.from_name,
    "socket-paths": SocketPathSpec.from_name,
    "switches": SwitchSpec.from_name,
    "systems": NetworkSystemSpec.from_name,
}
FILES = [f"{category}/{name}" for category in catalog.categories() for name in catalog.names(category)]


def _pairs() -> list[str]:
    """Every card with every driver that a row of a report was measured with."""
    cases = [row.case for row in reports.rows()]
    named = {f"{case['nic']}/{case['driver']}" for case in cases if "driver" in case}
    return sorted(named | set(tolly_200233.ADAPTERS.values()) | set(tolly_201105.ADAPTERS.values()))


NETWARE_PAIRS = sorted(set(perform3.CLIENT_NICS.values()) | set(perform3.SERVER_NICS.values()))


def _fitting(pairs: list[str]) -> list[tuple[str, str]]:
    """Each pair with every computer that has a slot for it."""
    slots = {model: host(model, system=SYSTEMS[0]).bus.takes for model in HOSTS}
    standards = {pair: _card(pair.partition("/")[0]).get("bus_standard") for pair in pairs}
    return [(pair, model) for pair, standard in standards.items() for model in HOSTS if standard in slots[model]]


def test_every_pair_fits_some_computer() -> None:
    pairs = [*_pairs(), *NETWARE_PAIRS]
    assert {pair for pair, _ in _fitting(pairs)} == set(pairs)


def _spec(file: str) -> Spec:
    category, _, name = file.partition("/")
    return LOADED[category](name)


def test_every_kind_has_its_spec() -> None:
    assert catalog.categories() == sorted(LOADED)
    assert all(catalog.names(category) for category in LOADED)


@pytest.mark.parametrize("file", FILES)
def test_every_file_is_a_spec(file: str) -> None:
    spec = _spec(file)
    assert type(spec).from_toml(spec.to_toml() + "\n") == spec
    assert all(catalog.notes(*file.split("/")).values()), "title and about say what the thing is"


@pytest.mark.parametrize("family", catalog.names("families"))
def test_a_family_has_several_members_of_one_category(family: str) -> None:
    """Values of a single model belong in that model's own file."""
    found = members(family)
    assert len(found) > 1
    assert len({category for category, _ in found}) == 1
    assert not {"cards", "systems"} & catalog.read_toml(catalog.path("families", family)).keys()


@pytest.mark.parametrize("file", FILES)
def test_every_number_says_where_it_comes_from(file: str) -> None:
    assert catalog.unsourced(*file.split("/")) == []
    wrong = {
        address: source
        for address, _, source in catalog.describe(file)
        if source != UNSOURCED and not _is_complete(source)  # a name or a tag has no source
    }
    assert not wrong


def _is_complete(source: Provenance) -> bool:
    """Whether it has everything that its kind requires."""
    if source.kind == "fitted":
        return bool(source.rows) and source.sd is not None
    return bool((source.reason if source.kind == "assumed" else source.source).strip())


@pytest.mark.parametrize(
    ("source", "complete"),
    [
        ({"kind": "fitted", "rows": ["a"], "sd": 0.5}, True),
        ({"kind": "fitted", "rows": ["a"]}, False),
        ({"kind": "fitted", "sd": 0.5}, False),
        ({"kind": "standard", "source": "802.3"}, True),
        ({"kind": "derived", "reason": "arithmetic"}, False),
        ({"kind": "assumed", "reason": "a judgement"}, True),
        ({"kind": "assumed", "source": " "}, False),
    ],
)
def test_what_is_complete(source: dict[str, Any], complete: bool) -> None:
    assert _is_complete(Provenance.model_validate(source)) == complete


def test_numbers_are_fitted_to_rows_that_exist_or_chosen_in_view_of_them() -> None:
    """Numbers that are chosen may name rows by patterns."""
    modern = (*pcie_dma.ROWS, *packet_rates.rows(), *latency_stages.rows(), *tcp_100g.rows())
    known = {row.id for row in [*reports.rows(), *modern]}
    sources = [source for file in FILES for _, _, source in catalog.describe(file)]
    assert {row for source in sources if source.kind == "fitted" for row in source.rows} <= known
    patterns = {row for source in sources if source.kind != "fitted" for row in source.rows}
    assert not [pattern for pattern in patterns if not fnmatch.filter(known, pattern)]


@pytest.mark.parametrize(("pair", "model"), _fitting(_pairs()))
def test_every_pair_of_the_experiments_fits_every_computer(pair: str, model: str) -> None:
    """Under every system."""
    card, driver = (_spec(f"{one}/{name}") for one, name in zip(("nics", "drivers"), pair.split("/"), strict=True))
    for system in SYSTEMS:
        pc = host(model, system=system, nics=[pair])
        assert isinstance(pc, ComputerSpec)
        assert pc.nics[0].driver == driver
        assert pc.get("nics.0.tx_fifo") == card.get("tx_fifo")


@pytest.mark.parametrize(("pair", "model"), _fitting(NETWARE_PAIRS))
def test_every_pair_of_the_netware_tests_fits_every_computer(pair: str, model: str) -> None:
    """Under every system."""
    card, driver = (_spec(f"{one}/{name}") for one, name in zip(("nics", "drivers"), pair.split("/"), strict=True))
    for system in NETWARE:
        pc = NcpHostSpec.from_catalog("hosts", model, system=system, nics=[pair])
        assert pc.nics[0].driver == driver
        assert pc.get("nics.0.bus_standard") == card.get("bus_standard")
        assert [port.driver for port in pc.ports()] == [driver]


# ---- a server and its clients on hubs ----


def test_a_bus_master_of_a_pci_computer_serves_netware_too() -> None:
    """Systems of the core protocol have the same kernels and PCI computers as any other test."""
    server = NcpHostSpec.from_catalog(
        "hosts", "netfinity-5500", system="netware-4.11", nics=["etherjet-100/e100b-lan"] * 4
    )
    client = NcpHostSpec.from_catalog("hosts", "pc-350-133", system="csnw-nt-4.0", nics=["etherjet-100/ibmfent"])
    assert [port.driver for port in server.ports()] == [DriverSpec.from_name("e100b-lan")] * 4
    agreed = client.system.ncp.agreed(server.system.ncp)
    frames = server.system.ncp.reply_frame(agreed.largest), client.system.ncp.request_frame(agreed.largest)
    assert max(frames) <= 1514 + 4
    assert max(frames) > 1514 + 4 - 2  # the largest even number of bytes of data
    assert agreed.at_once > agreed.largest


def test_a_client_of_netware_has_the_kernel_of_the_same_windows() -> None:
    """Two files, since they are of different kinds, but one kernel, including its fitted numbers."""
    kernel = NetworkSystemSpec.from_name("windows-nt-4.0").kernel
    assert NcpSystemSpec.from_name("csnw-nt-4.0").kernel == kernel


def test_what_differs_between_two_clocks_of_a_machine() -> None:
    """Caches scale with the core's clock; memory and buses don't."""
    fast, slow = (host(name, system=SYSTEMS[0]) for name in ("netfinity-5500", "netfinity-5500-450"))
    share = slow.processors.clock / fast.processors.clock
    assert share == 450 / 500
    assert slow.memory.cached == share * fast.memory.cached
    assert slow.memory.level1 == share * (fast.memory.level1 or 0)
    changed = {f"memory.{level}": f"{getattr(fast.memory, level) / 1e6} MB/s" for level in ("cached", "level1")}
    assert slow.replace({"processors.clock": "500 MHz", **changed}) == fast


# ---- as a table ----


def test_what_there_is_as_a_table() -> None:
    table = ns.available()
    assert dict(zip(table["category"], table["names"], strict=True)) == {
        category: len(catalog.names(category)) for category in catalog.categories()
    }


@pytest.mark.parametrize("category", catalog.categories())
def test_a_category_as_a_table(category: str) -> None:
    table, sources = ns.available(category).set_index("name"), MODEL_KINDS
    assert list(table.index) == catalog.names(category)
    for name, row in table.iterrows():
        values = catalog.describe(f"{category}/{name}")
        assert row["title"] == catalog.notes(category, str(name))["title"]
        assert sum(row[kind] for kind in sources) == len(values)
        texts = {address: value for address, value, _ in values}
        shown = [address for address in table if address in texts.keys() - sources]
        assert all(row[address] == texts[address] for address in shown)


def test_nics_and_hosts_say_what_tells_them_apart() -> None:
    assert ns.available("nics").set_index("name").loc["3c905b", "rate"] == "100 Mbit/s"
    dual = ns.available("hosts").set_index("name").loc["2xpii-400"]
    assert dual[["processors.count", "processors.clock"]].tolist() == ["2", "400 MHz"]


def test_a_category_that_is_not_there() -> None:
    with pytest.raises(ScenarioError, match=r'^no category of models is called "nic" \(did you mean "nics"\?\)$'):
        ns.available("nic")
    with pytest.raises(ScenarioError, match=r"^category: 5 is not allowed; allowed: adapters, .*, nics, "):
        ns.available(5)  # type: ignore[arg-type]


def _number(value: object) -> float | None:
    """The value of a number with or without its unit, in base units; None for words and switches."""
    if isinstance(value, bool):
        return None
    text = str(value)
    found = re.fullmatch(r"(\d[\d.]*(?:e[+-]?\d+)?) ?(\S*)", text)
    if not found:
        return None
    unit = found[2]
    scale = {"K": 2**10, "M": 2**20, "G": 2**30}[unit[0]] if unit[1:2] == "i" else PREFIXES.get(unit[:1], 1.0)
    return float(found[1]) * (scale if len(unit) > 1 and unit not in ("B/s", "Hz", "bit/s") else 1.0)


PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}


def _at(table: Any, address: str) -> Any:
    for key in address.split("."):
        table = table[int(key)] if isinstance(table, list) else table[key]
    return table


@pytest.mark.parametrize("category", catalog.categories())
def test_every_number_that_was_not_read_has_a_range_that_it_lies_in(category: str) -> None:
    for name in catalog.names(category):
        tables = catalog.read_toml(catalog.path(category, name))
        plain, sources = catalog.split({key: one for key, one in tables.items() if key not in NOTES})
        for address, source in sources.items():
            value = _number(_at(plain, address))
            if source.kind == "assumed" and value is not None:
                assert source.range is not None, f"{category}/{name}:{address}"
                low, high = map(_number, source.range)
                assert low is not None
                assert high is not None
                assert 0.9999 * low <= value <= 1.0001 * high, f"{category}/{name}:{address}"
