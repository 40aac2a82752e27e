"""Outputs of other versions of the tools, and lines that can't be read: each is named, the rest is used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from netsim.errors import ScenarioError
from netsim.own_machine import import_machine
from netsim.own_machine.collecting import SCRIPT
from netsim.own_machine.ethtool import counters, read_keys
from netsim.own_machine.iperf3_text import read_iperf3
from netsim.own_machine.json_texts import processor_set, read_processors
from netsim.own_machine.kernel_texts import read_hz, read_interrupts, read_options, read_settings, read_softnet
from netsim.own_machine.lspci import devices
from netsim.own_machine.texts import Text
from tests.machines import MACHINES, copied


def text(content: str, name: str = "file") -> Text:
    return Text(name, content.split("\n"))


# ---- lspci ----


@pytest.mark.parametrize(
    "status",
    [
        "Speed 8GT/s, Width x4, TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-",  # 3.1
        "Speed 8GT/s (ok), Width x4 (downgraded)",  # 3.6
        "Speed 8GT/s, Width x4 (downgraded)",  # 3.8
    ],
)
@pytest.mark.parametrize("address", ["81:00.0", "0000:81:00.0"])
def test_links_as_versions_of_lspci_have_them(status: str, address: str) -> None:
    found = devices(text(f"{address} Ethernet controller: X\n\t\tLnkSta:\t{status}"))["0000:81:00.0"].found
    assert (found["generation"].value, found["lanes"].value, found["lanes"].where) == (3, 4, "file:2")


def test_a_second_register_is_not_the_first() -> None:
    """LnkCap2 and LnkSta2 have speeds, too, and an empty slot has no width."""
    second = "\t\tLnkCap2: Supported Link Speeds: 2.5-16GT/s\n\t\t\tSpeed 16GT/s, Width x9"
    lines = f"\t\tLnkSta:\tSpeed 5GT/s, Width x1\n{second}"
    found = devices(text(f"01:00.0 Ethernet controller: X\n{lines}"))["0000:01:00.0"].found
    assert (found["generation"].value, found["lanes"].value) == (2, 1)


@pytest.mark.parametrize("link", ["Speed 9GT/s, Width x4", "Speed 8GT/s, Width x0", "Speed unknown, Width x4", ""])
def test_a_link_that_is_none_is_named_for_the_adapter_alone(link: str, tmp_path: Path) -> None:
    bad = ("LnkSta:\tSpeed 8GT/s, Width x8 (downgraded)", f"LnkSta:\t{link}")
    found = import_machine(copied("server-mlx5", tmp_path, lspci=bad))
    assert [str(one).split(":")[:2] for one in found.unread] == [["lspci", "39"]]
    assert found.machine.get("adapters.enp129s0np0.pcie") is None


def test_lspci_without_root_says_so(tmp_path: Path) -> None:
    lspci = "81:00.0 Ethernet controller: X\n\tCapabilities: <access denied>\n"
    folder = copied("server-mlx5", tmp_path)
    (folder / "lspci").write_text(lspci)
    assert [str(one) for one in import_machine(folder).unread] == [
        "lspci:2: access denied: lspci -vv shows links only to root"
    ]


# ---- ethtool ----


def test_keys_below_their_headings() -> None:
    found = read_keys(text("Ring parameters for x:\nPre-set maximums:\nRX: 8\nCurrent hardware settings:\nRX: 4\n"))
    assert found["pre-set maximums", "rx"].value == "8"
    assert found["current hardware settings", "rx"].where == "file:5"


def test_adaptive_moderation_has_a_line_of_its_own() -> None:
    assert read_keys(text("Adaptive RX: on  TX: off"))["", "adaptive rx"].value == "on"


def test_counters_have_names_with_colons_and_blanks() -> None:
    found = counters(text("NIC statistics:\n     Queue[0] InPackets: 5\n     a: b: 7\n"))
    assert {name: one.value for name, one in found.items()} == {"Queue[0] InPackets": 5, "a: b": 7}


def test_a_ring_that_no_adapter_has_is_assumed(tmp_path: Path) -> None:
    folder = copied("server-ixgbe", tmp_path, ethtool__g__p2p1=("RX:		64", "RX:		99999999"))
    found = import_machine(folder)
    assert found.machine.get("adapters.p2p1.rx_ring") is None
    assert [(one.file, one.line) for one in found.unread] == [("ethtool-g-p2p1", 8)]
    assert "99999999" in found.machine.provenance()["adapters.p2p1.rx_ring"].reason


# ---- the host ----


def test_interrupts_of_processors_that_are_on() -> None:
    """CPU1 is offline: the second column is CPU2's."""
    found = read_interrupts(text("      CPU0   CPU2\n 16:  1  2  IO-APIC  16-fasteoi  eth0\n"))
    assert found == [(2, "IO-APIC 16-fasteoi eth0", {0: 1, 2: 2})]


def test_a_bad_line_of_interrupts_is_named_and_others_are_used() -> None:
    lines = text("      CPU0   CPU1\n 16:  1  2  A  eth0\n 17:  1\n 18:  3  x  B  eth1\n 19:  5  6  C  eth2\n")
    assert [name for _, name, _ in read_interrupts(lines)] == ["A eth0", "C eth2"]
    assert [one.line for one in lines.unread()] == [3, 4]


def test_softnet_adds_up_and_names_the_largest() -> None:
    row = "{:08x} {:08x} {:08x} " + " ".join(["00000000"] * 8)
    found = read_softnet(text("\n".join([row.format(10, 0, 1), "nonsense", row.format(5, 7, 2)])))
    assert {name: (one.value, one.where) for name, one in found.items()} == {
        "packets": (15, "file:1"), "dropped": (7, "file:3"), "squeezed": (3, "file:3"),
    }  # fmt: skip


def test_settings_that_are_none_are_named() -> None:
    lines = text("net.core.rmem_max = 1\nnet.core.wmem_max = x\nnet.ipv4.tcp_rmem = 1 2\nnet.ipv4.tcp_wmem = 1\t2\t3\n")
    assert {name: one.value for name, one in read_settings(lines).items()} == {"rmem_max": 1, "tcp_wmem_max": 3}
    assert [one.line for one in lines.unread()] == [2, 3]


def test_hz_and_options() -> None:
    hz = read_hz(text("# CONFIG_HZ_100 is not set\nCONFIG_HZ=300\n"))
    options = read_options(text("ro iommu=pt nosmt x=1"))
    assert hz is not None
    assert options is not None
    assert (hz.value, hz.where, options.value) == (300, "file:2", ["iommu=pt", "nosmt"])


def test_lists_of_processors() -> None:
    assert processor_set("0-2,5") == {0, 1, 2, 5}
    assert processor_set("0-") == frozenset()


def test_processors_that_are_nested_or_not() -> None:
    inner = {"field": "NUMA node0 CPU(s):", "data": "0-3"}
    nested = {"lscpu": [{"field": "NUMA:", "data": None, "children": [inner]}, {"field": "Socket(s):", "data": "-"}]}
    for tree in (nested, {"lscpu": [inner]}):
        found, nodes = read_processors(text(json.dumps(tree)))
        assert (found, [*nodes]) == ({}, ["node0"])


# ---- iperf3 ----


@pytest.mark.parametrize(
    ("start", "sends"),
    [
        ({"connecting_to": {}, "test_start": {"reverse": 0}}, True),
        ({"connecting_to": {}, "test_start": {"reverse": 1}}, False),
        ({"accepted_connection": {}, "test_start": {"reverse": 0}}, False),
        ({"accepted_connection": {}, "test_start": {"reverse": 1}}, True),
    ],
)
def test_which_way_a_run_went(start: dict[str, object], sends: bool) -> None:
    run = {"start": start, "end": {"sum_received": {"bits_per_second": 5.0}}}
    assert read_iperf3(text(json.dumps(run)))["sends"].value is sends


def test_a_run_that_failed_is_named() -> None:
    lines = text('{\n"start": {},\n"end": {},\n"error": "unable to connect"\n}')
    assert read_iperf3(lines) == {}
    assert [(one.line, "unable to connect" in one.reason) for one in lines.unread()] == [(4, True)]


@pytest.mark.parametrize("protocol", ["SCTP", 6, None])
def test_a_run_with_another_protocol_is_left_out(protocol: object) -> None:
    run = {"start": {"test_start": {"protocol": protocol}}, "end": {"sum_received": {"bits_per_second": 5.0}}}
    lines = text(json.dumps(run, indent=0))
    assert read_iperf3(lines) == {}
    told = f"{json.dumps(protocol)} is not a protocol of a run that netsim knows; allowed: TCP, UDP"
    assert [str(one) for one in lines.unread()] == [f"file:4: {told}"]


# ---- the folder ----


@pytest.mark.parametrize("files", [{}, {"letter.txt": "hello"}])
def test_a_folder_without_a_machine_is_refused(files: dict[str, str], tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(ScenarioError, match="has none of the script's files; allowed: a folder that it wrote"):
        import_machine(tmp_path)


def test_without_jc_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jc.parsers.sysctl", None)
    with pytest.raises(ScenarioError, match=r'needs the package jc; pip install "netsim-host\[import\]"'):
        import_machine(MACHINES / "board-arm")


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="can't be read as a folder: No such file"):
        import_machine(tmp_path / "none")


def test_an_adapter_whose_name_is_no_address_is_named(tmp_path: Path) -> None:
    folder = copied("desktop-e1000e", tmp_path)
    (folder / "ethtool-i-lan.5").write_text("driver: 8021q\n")
    found = import_machine(folder)
    assert any(one.file == "ethtool-i-lan.5" and "address" in one.reason for one in found.unread)
    assert next(iter(found.machine.adapters.provenance())).startswith("enp0s31f6")


def test_the_script_collects_what_import_reads(tmp_path: Path) -> None:
    """On any machine with a shell, whatever tools it has; only the folder is written."""
    script = tmp_path / "collect.sh"
    script.write_text(SCRIPT)
    done = subprocess.run(["sh", str(script), "mine"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "mine\n"
    assert {one.name for one in tmp_path.iterdir()} == {"collect.sh", "mine"}
    assert import_machine(tmp_path / "mine").machine.kernel.packets >= 0
    again = subprocess.run(["sh", str(script), "mine"], cwd=tmp_path, capture_output=True, check=False)
    assert again.returncode == 1
