"""The test of a machine's iperf3 run: it has the run's options; the other end is assumed, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.own_machine.machine_file import write_scenario
from netsim.own_machine.simulated_run import measured_runs, scenario_of
from netsim.own_machine.stream_test import other_end, stream_test
from tests.own_machine.quick import ADAPTERS, MLX5, machine, measured


@pytest.mark.parametrize(
    ("start", "address", "value"),
    [
        ({"version": "iperf 3.16", "test_start": {"num_streams": 4}}, "streams", 4),
        ({"version": "iperf 3.15", "test_start": {"num_streams": 4}}, "streams", 1),  # one thread
        ({"test_start": {"blksize": 8192}}, "length", 8192),
        ({"tcp_mss_default": 1448}, "mtu", 1500),  # the path's MTU, below the adapter's 9000
        ({"test_start": {"duration": 3}}, "duration", 3 * 10**12),
        (
            {"test_start": {"num_streams": 1}, "sock_bufsize": 100_000, "rcvbuf_actual": 200_000},
            "receiver.tcp_rmem",
            200_000,
        ),
        ({"test_start": {"num_streams": 1}}, "receiver.tcp_rmem", 6 * 2**20),
        ({"test_start": {"num_streams": 8}}, "receiver.tcp_rmem", 48 * 2**20),  # the buffers of eight sockets
    ],
)
def test_options_of_the_run_go_in(tmp_path: Path, start: dict[str, Any], address: str, value: object) -> None:
    test = stream_test(measured(tmp_path, **start), MLX5).scenario
    assert test.get(address) == value
    assert test.provenance()[address].kind in ("imported", "derived")


@pytest.mark.parametrize(
    ("reverse", "server", "own"), [(1, False, "receiver"), (0, False, "sender"), (0, True, "receiver")]
)
def test_the_direction_says_which_end_it_is(tmp_path: Path, reverse: int, server: bool, own: str) -> None:
    start: dict[str, Any] = {"test_start": {"reverse": reverse}}
    test = stream_test(measured(tmp_path, **start, **({"accepted_connection": {}} if server else {})), MLX5)
    assert test.own == own
    assert test.scenario.get(f"{own}.pcie.lanes") == 8


@pytest.mark.parametrize(
    ("start", "line"),
    [
        ({"test_start": {"protocol": "UDP"}}, "a run with UDP can't be simulated; allowed: TCP in one direction"),
        ({"test_start": {"bidir": 1}}, "a run with --bidir can't be simulated"),
        ({"target_bitrate": 10**9}, "a run with -b or --fq-rate for TCP can't be simulated"),
        ({"version": "iperf 3.17", "test_start": {"num_streams": 32}}, "streams: 32 are too many for the sender's"),
    ],
)
def test_what_no_stream_does_is_one_line(tmp_path: Path, start: dict[str, Any], line: str) -> None:
    (run,) = measured_runs(measured(tmp_path, **start))
    assert run.refused.startswith(line)
    assert "\n" not in run.refused
    assert (run.test, run.prediction, run.miss, run.holds) == (None, None, None, False)


def test_the_other_end_is_alike_with_nothing_wrong() -> None:
    other = other_end(machine("server-ixgbe"), "p2p1")
    assert (other.driver.rx_ring, other.pcie.max_payload, other.memory.nodes) == (4096, 256, 1)
    assert {one.kind for one in other.provenance().values()} == {"assumed"}
    assert {one.reason for one in other.provenance().values()} == {
        "the other end is not known: simulated like this machine, without faults"
    }


def test_without_a_run_it_receives_one_stream() -> None:
    test = stream_test(machine("desktop-e1000e"), ADAPTERS["desktop-e1000e"])
    assert (test.own, test.scenario.streams, test.scenario.link.rate) == ("receiver", 1, 10**9)
    assert any(one.startswith("no run was measured") for one in test.assumed)
    assert any("GSO" in one for one in test.assumed)


def test_other_congestion_control_is_named() -> None:
    changed = machine("desktop-e1000e").replace("kernel.congestion_control", "bbr")
    test = stream_test(changed, ADAPTERS["desktop-e1000e"])
    assert (test.scenario.control, "bbr is not modelled: cubic is simulated instead" in test.assumed) == ("cubic", True)


def test_the_scenario_runs_from_a_file_and_keeps_its_sources(tmp_path: Path) -> None:
    test = scenario_of(machine("server-mlx5"))
    write_scenario(test, tmp_path / "mine.toml")
    back = ns.load(tmp_path / "mine.toml")
    assert back == test
    assert back.provenance() == test.provenance()
    with pytest.raises(ScenarioError, match="exists already"):
        write_scenario(test, tmp_path / "mine.toml")


def test_no_link_no_scenario() -> None:
    down = machine("desktop-e1000e").replace(f"adapters.{ADAPTERS['desktop-e1000e']}.rate", "none")
    with pytest.raises(ScenarioError, match="no adapter has a link"):
        scenario_of(down)
