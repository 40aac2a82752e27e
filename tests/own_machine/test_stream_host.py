"""A host made from a machine: imported values with their sources, and origins for the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from netsim.catalog import names
from netsim.errors import ScenarioError
from netsim.machine import ServerSpec
from netsim.own_machine import import_machine, nearest
from netsim.own_machine.stream_host import stream_host
from netsim.spec import SET_BY_USER
from tests.machines import MACHINES, copied
from tests.own_machine.quick import ADAPTERS, MLX5, machine


@pytest.mark.parametrize(
    ("name", "address", "value", "where"),
    [
        ("server-mlx5", "server.clock", 3_400_000_000, "lscpu.json:52"),
        ("server-mlx5", "server.cache.size", 16 * 2**20, "lscpu.json:82"),  # 128 MiB in eight caches
        ("server-mlx5", "server.cores", 16, "lscpu.json:18, lscpu.json:40: cores of a node"),  # 32 threads: two each
        ("server-mlx5", "pcie.lanes", 8, "lspci:39"),
        ("server-mlx5", "adapter.queues", 16, "ethtool-l-enp129s0np0:11"),
        ("server-mlx5", "driver.queues", 16, "ethtool-l-enp129s0np0:11"),
        ("server-mlx5", "driver.moderation.policy", "dim", "ethtool-c-enp129s0np0:2"),
        ("server-mlx5", "driver.stream.sent_interval", 8_000_000, "ethtool-c-enp129s0np0:13"),
        ("server-mlx5", "kernel.hz", 1000, "config:3"),
        ("server-mlx5", "tcp_rmem", 6 * 2**20, "sysctl:7"),
        ("server-ixgbe", "driver.rx_ring", 64, "ethtool-g-p2p1:8"),
        ("server-ixgbe", "driver.moderation.interval", 100_000_000, "ethtool-c-p2p1:2"),
        ("server-ixgbe", "server.memory.nodes", 2, "interrupts:3: softirqs on another node"),
        ("server-ixgbe", "server.cache.size", 20 * 2**20, "lscpu.json:17"),
        ("desktop-e1000e", "tso", False, "ethtool-k-enp0s31f6:10"),
        ("desktop-e1000e", "gro", False, "ethtool-k-enp0s31f6:14"),
        ("desktop-e1000e", "driver.moderation.mode", 3, "ethtool-c-enp0s31f6:8"),
        ("board-arm", "server.clock", 1_500_000_000, "lscpu.json:12"),
        ("board-arm", "adapter.rate", 10**10, "ethtool-eth1:9"),
    ],
)
def test_what_was_read_is_in_it_with_its_source(name: str, address: str, value: object, where: str) -> None:
    host = stream_host(machine(name), ADAPTERS[name])
    assert (host.get(address), host.provenance()[address].source) == (value, where)


@pytest.mark.parametrize("name", ADAPTERS)
def test_each_number_says_where_it_is_from(name: str) -> None:
    """Numbers of other machines count as assumed, whatever their kind there: nothing is fitted to this one."""
    host = stream_host(machine(name), ADAPTERS[name])
    sources = host.provenance()
    assert {one.kind for one in sources.values()} <= {"imported", "derived", "assumed", "documented", "standard"}
    assert not [at for at, one in sources.items() if one == SET_BY_USER or not (one.source or one.reason)]
    costs = [at for at in sources if at.startswith("kernel.tcp.") and at.endswith(("_cycles", "_lines"))]
    assert {sources[at].kind for at in (*costs, "server.memory.copy_cycles")} == {"assumed"}
    assert "Four Xeon Gold 6128" in sources["server.memory.copy_cycles"].reason


def test_costs_are_those_of_the_catalogue_at_another_clock() -> None:
    host, known = stream_host(machine("board-arm"), "eth1"), ServerSpec.from_name("xeon-gold-6128")
    assert known.memory is not None
    assert host.memory.copy_cycles == known.memory.copy_cycles
    assert host.server.time(1000) == round(known.time(1000) * known.clock / 1_500_000_000)


def test_interrupts_on_the_adapters_node_leave_one_node() -> None:
    host = stream_host(machine("server-ixgbe").replace("adapters.p2p1.remote_interrupts", 0), "p2p1")
    assert (host.memory.nodes, host.server.cores, host.far) == (1, 8, False)


def test_steering_needs_filters_and_entries() -> None:
    filters = machine("server-mlx5").replace(f"adapters.{MLX5}.offloads.flow_steering", "on")
    assert not stream_host(filters, MLX5).arfs
    assert stream_host(filters.replace("kernel.flow_entries", 32768), MLX5).arfs


@pytest.mark.parametrize(
    ("name", "changes", "policy"),
    [
        ("server-ixgbe", {"rx_usecs": "1 us"}, "ixgbe"),  # its adaptive policy
        ("server-ixgbe", {"rx_usecs": "0 us"}, "fixed-interval"),
        ("server-ixgbe", {"rx_usecs": "none"}, "ixgbe"),  # unknown: the driver's own
        ("desktop-e1000e", {"rx_usecs": "1 us"}, "e1000e"),
        ("desktop-e1000e", {"rx_usecs": "50 us"}, "fixed-interval"),
        ("server-mlx5", {"adaptive_rx": False}, "fixed-interval"),
    ],
)
def test_moderation_is_what_ethtool_says(name: str, changes: dict[str, object], policy: str) -> None:
    own = ADAPTERS[name]
    changed = machine(name).replace({f"adapters.{own}.{key}": value for key, value in changes.items()})
    assert stream_host(changed, own).driver.moderation.policy == policy


def test_a_budget_in_microseconds_is_whole_jiffies() -> None:
    """usecs_to_jiffies rounds up: 2 ms at 250 per second are one jiffy."""
    changed = machine("server-mlx5").replace("kernel.hz", 250)
    assert stream_host(changed, MLX5).kernel.jiffies == 1


@pytest.mark.parametrize(
    ("module", "rate", "found"),
    [
        ("mlx5_core", 25 * 10**9, ("connectx-4-lx", "mlx5-5.4", True)),
        ("mlx5_core", 200 * 10**9, ("connectx-5", "mlx5-5.4", True)),
        ("ixgbe", 10**10, ("82599", "ixgbe", True)),
        ("r8169", 25 * 10**8, ("82574", "e1000e", False)),
        ("ice", 10**11, ("connectx-5", "mlx5-5.4", False)),
        ("ix", 10**10, ("82599", "ixgbe", False)),
    ],
)
def test_the_nearest_adapter_is_that_of_the_module_or_else_of_the_rate(
    module: str, rate: int, found: tuple[str, str, bool]
) -> None:
    assert nearest.nearest_adapter(module, rate) == found


def test_links_by_rate_and_medium() -> None:
    assert nearest.nearest_link(10**10, "Twisted Pair") == "10gbase-t"
    assert nearest.nearest_link(10**10, "FIBRE") == "10gbase-sr"
    assert nearest.nearest_link(50 * 10**9, None) == "40gbase-sr4"
    assert nearest.nearest_kernel("6.1.0-18-amd64") in names("kernels")


def test_a_link_that_no_tool_shows_is_no_limit() -> None:
    """An adapter inside the chipset has no such link."""
    host = stream_host(machine("desktop-e1000e"), "enp0s31f6")
    assert host.provenance()["pcie.lanes"].kind in ("standard", "assumed")
    assert host.pcie.time(1_000_000) * 10**9 < 8 * 10**18 / 2  # a megabyte takes less than half of its time on the wire


def test_what_can_not_be_simulated_is_one_line() -> None:
    with pytest.raises(ScenarioError, match="the rate of its link is not known: the link is down, or not Ethernet"):
        stream_host(machine("board-arm"), "eth0")
    wide = {f"adapters.{MLX5}.pcie.{name}": 6 for name in ("generation", "capable_generation")}
    with pytest.raises(ScenarioError, match="netsim does not model PCI Express generation 6 x8"):
        stream_host(machine("server-mlx5").replace(wide), MLX5)


@pytest.mark.parametrize("missing", ["lscpu.json", "sysctl", "lspci", "interrupts", "ethtool-c-p2p1", "ethtool-i-p2p1"])
def test_a_file_less_costs_its_own_information_alone(tmp_path: Path, missing: str) -> None:
    whole = stream_host(machine("server-ixgbe"), "p2p1")
    (copied("server-ixgbe", tmp_path) / missing).unlink()
    part = stream_host(import_machine(tmp_path / "server-ixgbe").machine, "p2p1")
    less = {at for at, one in whole.provenance().items() if one.kind == "imported" and missing in one.source}
    assert not [at for at in less & part.provenance().keys() if part.provenance()[at].kind == "imported"]
    kept = {at for at, one in whole.provenance().items() if one.kind == "imported" and missing not in one.source}
    lost = {at for at in kept if part.provenance()[at] != whole.provenance()[at]}
    assert lost <= ({at for at in kept if at.startswith("pcie.")} if missing == "ethtool-i-p2p1" else set())


def test_only_a_rate_is_enough(tmp_path: Path) -> None:
    """Everything else is assumed, and says so."""
    file = MACHINES / "server-mlx5" / f"ethtool-{MLX5}"
    (tmp_path / file.name).write_text(file.read_text())
    host = stream_host(import_machine(tmp_path).machine, MLX5)
    assert [at for at, one in host.provenance().items() if one.kind == "imported"] == ["adapter.rate"]
    assert host.server.cores == 6
