"""Four machines, each with faults of its own: the imported values, and each fault, found with its numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import netsim as ns
from netsim.own_machine import Imported, import_machine
from netsim.own_machine.advice import bounds_of
from netsim.own_machine.faults import findings
from netsim.own_machine.finding import Finding
from netsim.own_machine.slot_rate import as_pcie, receiving_rate, sending_rate
from tests.machines import MACHINES, NAMES, copied


@cache
def machine(name: str) -> Imported:
    return import_machine(MACHINES / name)


def the(name: str, words: str) -> Finding:
    """The only finding with these words."""
    found = [one for one in findings(machine(name).machine) if words in one.what]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("name", "address", "value"),
    [
        ("desktop-e1000e", "processors.count", 8),
        ("desktop-e1000e", "processors.clock", 4_000_000_000),
        ("desktop-e1000e", "adapters.enp0s31f6.rate", 10**9),
        ("desktop-e1000e", "adapters.enp0s31f6.pcie", None),
        ("desktop-e1000e", "adapters.enp0s31f6.interrupts", 832_234),
        ("desktop-e1000e", "adapters.enp0s31f6.offloads.large_receive", "impossible"),
        ("server-ixgbe", "nodes.node1.processors", "8-15"),
        ("server-ixgbe", "adapters.p2p1.rx_usecs", 100_000_000),
        ("server-ixgbe", "adapters.p2p1.rx_ring_max", 4096),
        ("server-ixgbe", "adapters.p2p1.adaptive_rx", False),
        ("server-ixgbe", "adapters.p2p1.pcie.slot_payload", 256),
        ("server-ixgbe", "adapters.p2p1.remote_interrupts", 7_301_122),
        ("server-ixgbe", "kernel.options", ("intel_iommu=on",)),
        ("server-mlx5", "kernel.hz", 1000),
        ("server-mlx5", "adapters.enp129s0np0.mtu", 9000),
        ("server-mlx5", "adapters.enp129s0np0.pcie.slot_generation", 4),
        ("server-mlx5", "adapters.enp129s0np0.pcie.read_boundary", 64),
        ("server-mlx5", "adapters.enp129s0np0.measured.sends", False),
        ("server-mlx5", "adapters.enp129s0np0.measured.retransmits", 1873),
        ("server-mlx5", "processors.cache", 16 * 2**20),
        ("server-mlx5", "adapters.enp129s0np0.measured.threads", 1),
        ("server-mlx5", "adapters.enp129s0np0.measured.mss", 8948),
        ("server-ixgbe", "adapters.p2p1.port", "Direct Attach Copper"),
        ("board-arm", "adapters.eth0.rate", None),
        ("board-arm", "adapters.eth1.pcie.capable_lanes", 4),
        ("board-arm", "kernel.tcp_rmem_max", 6 * 2**20),
    ],
)
def test_what_the_tools_say_is_read(name: str, address: str, value: object) -> None:
    assert machine(name).machine.get(address) == value


def test_each_value_says_file_and_line() -> None:
    sources = machine("server-ixgbe").machine.provenance()
    lines = (MACHINES / "server-ixgbe" / "lspci").read_text().splitlines()
    kind, source = sources["adapters.p2p1.pcie.max_read"].kind, sources["adapters.p2p1.pcie.max_read"].source
    file, _, line = source.partition(":")
    assert (kind, file) == ("imported", "lspci")
    assert lines[int(line) - 1].strip() == "MaxPayload 128 bytes, MaxReadReq 128 bytes"


def test_what_is_missing_is_assumed_and_says_why() -> None:
    hz = machine("board-arm").machine.provenance()["kernel.hz"]
    assert (hz.kind, "config is missing" in hz.reason) == ("assumed", True)
    assert "config: missing" in map(str, machine("board-arm").unread)


@pytest.mark.parametrize("name", NAMES)
def test_only_what_a_tool_refused_is_not_read(name: str) -> None:
    allowed = ("the tool said", "is not a speed", "missing")
    assert [str(one) for one in machine(name).unread if not any(word in one.reason for word in allowed)] == []


# ---- faults ----


def test_a_link_below_its_width() -> None:
    found = the("server-mlx5", "trained as generation 3 x8")
    assert "support generation 3 x16" in found.what
    assert found.where == "lspci:39, lspci:35, lspci:13"
    assert found.limits
    assert "59.3 Gbit/s" in found.why
    assert "the wire brings 99.7 Gbit/s" in found.why
    assert "119 Gbit/s" in found.gain
    assert found.factor == pytest.approx(99.73 / 59.30, rel=1e-3)


def test_a_slot_below_its_adapter() -> None:
    found = the("board-arm", "the slot supports only generation 2 x1")
    assert found.limits
    assert "3.16 Gbit/s" in found.why


def test_small_packets_limit_only_where_the_slot_does() -> None:
    assert the("board-arm", "MaxPayload").limits
    assert not the("server-ixgbe", "MaxPayload").limits
    assert "so that is enough" in the("server-ixgbe", "MaxPayload").why


def test_a_ring_too_small_for_its_moderation() -> None:
    """At 10 Gbit/s a frame of 64 bytes arrives every 67.2 ns, one of 1518 every 1230.4 ns."""
    found = the("server-ixgbe", "receive ring has 64")
    assert "1489 frames of 64 bytes or 82 full ones" in found.why
    assert found.remedy == "ethtool -G p2p1 rx 2048"
    assert found.limits
    assert "138 us" in found.gain  # 2048 x 67.2 ns


@pytest.mark.parametrize(
    ("name", "words", "where", "number"),
    [
        ("server-ixgbe", "no receive descriptor was free", "ethtool-S-p2p1:15", "78.7 us"),  # 64 x 1230.4 ns
        ("server-ixgbe", "own memory was full", "ethtool-S-p2p1:13", "PCI Express"),
        ("server-ixgbe", "one receive queue for 16 processors", "ethtool-l-p2p1:11", "67.2 ns"),
        ("server-ixgbe", "outside its own node", "interrupts:3", "7301122 of 7310542"),
        ("server-ixgbe", "time_squeeze", "softnet_stat:9", "369 us"),  # 300 x 1230.4 ns
        ("server-ixgbe", "backlog was full", "softnet_stat:9", "1000 frames"),
        ("server-ixgbe", "IOMMU", "cmdline:1", "32 pages"),  # 64 x 2048 B
        ("desktop-e1000e", "segmentation offload", "ethtool-k-enp0s31f6:10", "46 frames"),  # 65536 / 1448
        ("desktop-e1000e", "generic receive offload", "ethtool-k-enp0s31f6:14", "46 frames"),
    ],
)
def test_each_fault_says_where_and_how_much(name: str, words: str, where: str, number: str) -> None:
    found = the(name, words)
    assert where in found.where
    assert number in found.why
    assert found.remedy
    assert found.gain


def test_small_requests_cost_headers() -> None:
    """Requests of 128 bytes cost 20 more bytes for each completion than those of 256, and each needs a request."""
    faster = {"adapters.p2p1.pcie.max_payload": 256, "adapters.p2p1.rate": "40 Gbit/s"}
    found = [one for one in findings(machine("server-ixgbe").machine.replace(faster)) if "MaxReadReq" in one.what]
    assert [one.remedy.partition(",")[0] for one in found] == ["setpci -s 0000:04:00.0 CAP_EXP+8.w=2000:7000"]
    assert found[0].limits
    assert found[0].factor > 1


def test_ports_of_an_adapter_share_its_slot(tmp_path: Path) -> None:
    """Two ports of 25 Gbit/s need as much as one of 50, more than eight lanes of generation 2 carry."""
    folder = copied("server-ixgbe", tmp_path, ethtool__p2p1=("10000Mb/s", "25000Mb/s"))
    assert not [one for one in findings(import_machine(folder).machine) if "own link" in one.what]
    for file in [*folder.glob("*-p2p1")]:
        (folder / file.name.replace("p2p1", "p2p2")).write_text(file.read_text().replace("04:00.0", "04:00.1"))
    lspci = (folder / "lspci").read_text()
    (folder / "lspci").write_text(lspci + lspci[lspci.index("04:00.0") :].replace("04:00.0", "04:00.1"))
    found = [one for one in findings(import_machine(folder).machine) if "own link" in one.what]
    assert [one.part for one in found] == ["adapters.p2p1", "adapters.p2p2"]
    assert "the wire brings 49.2 Gbit/s" in found[0].why  # 50 x 1514 / 1538


def test_what_limits_comes_first() -> None:
    for name in NAMES:
        limits = [one.limits for one in findings(machine(name).machine)]
        assert limits == sorted(limits, reverse=True)


def test_with_its_faults_repaired_nothing_is_wrong() -> None:
    repaired = machine("server-ixgbe").machine.replace(
        {
            "adapters.p2p1.rx_ring": 4096,
            "adapters.p2p1.queues": 8,
            "adapters.p2p1.pcie.max_payload": 256,
            "adapters.p2p1.pcie.max_read": 512,
            "adapters.p2p1.remote_interrupts": 0,
            "adapters.p2p1.ring_drops": 0,
            "adapters.p2p1.fifo_drops": 0,
            "kernel.squeezed": 0,
            "kernel.dropped": 0,
            "kernel.options": ["intel_iommu=on", "iommu=pt"],
        }
    )
    assert findings(repaired) == []


# ---- bounds ----


@pytest.mark.parametrize("operation", ["read", "write"])
def test_the_slot_is_that_of_the_dma_tool(operation: str) -> None:
    """The tool's closed form also has an engine, tags and latency; the link's share is the same."""
    pcie = as_pcie(machine("server-mlx5").machine.get("adapters.enp129s0np0.pcie"))
    assert pcie is not None
    dma = ns.load(MACHINES.parent / "pcie-slot.toml").replace({"pcie": pcie, "operation": operation, "size": 1514})
    demand = {str(part): time for part, time in dma.bounds().demand.items()}
    link = max(demand["PCIe upstream"], demand["PCIe downstream"])
    rate = sending_rate(pcie, 1514) if operation == "read" else receiving_rate(pcie, 1514)
    assert rate == pytest.approx(1514 * 8 * 1e12 / link, rel=1e-4)


def test_a_measured_run_stands_beside_its_lowest_bound() -> None:
    (bound,) = bounds_of(machine("server-mlx5").machine)
    assert (bound.bottleneck, bound.measured) == ("slot", 37_600_235_911)
    assert bound.bounds["wire"] == pytest.approx(1e11 * 8948 / 9038)
    assert bound.lowest == pytest.approx(58.87e9, rel=1e-3)
    assert bound.measured < bound.lowest


def test_datagrams_may_be_fragments() -> None:
    """Fragments have only IP's header, and no adapter sends several as one."""
    name = "adapters.enp129s0np0"
    udp = machine("server-mlx5").machine.replace({f"{name}.measured.protocol": "UDP", f"{name}.measured.sends": True})
    (bound,) = bounds_of(udp)
    pcie = as_pcie(udp.get(f"{name}.pcie"))
    assert pcie is not None
    assert bound.bounds["wire"] == pytest.approx(1e11 * 8980 / 9038)
    assert bound.bounds["slot"] == pytest.approx(sending_rate(pcie, 9014) * 8980 / 9014)


def test_segmentation_leaves_out_headers_where_the_adapter_sends() -> None:
    """A bound has to hold for 64 KiB read at once, with one header."""
    sends = machine("server-mlx5").machine.replace("adapters.enp129s0np0.measured.sends", True)
    without = sends.replace("adapters.enp129s0np0.offloads.segmentation", "off")
    (whole,), (cut,) = bounds_of(sends), bounds_of(without)
    assert whole.bounds["slot"] > cut.bounds["slot"]
