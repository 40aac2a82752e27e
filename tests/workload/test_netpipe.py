"""NetPIPE: its schedule, what it measures, and the form of its result."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import MpiSpec
from netsim.units import MEBIBIT, MIB
from netsim.workload.netpipe.run import NetPipeRun
from netsim.workload.netpipe.tool import schedule

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
SLOW = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
SIZES = (1, 64, 1448, 16384, 65536)


def netpipe(**changes: Any) -> ns.NetPipe:
    return ns.NetPipe(**{"sender": PC, "receiver": PC, "sizes": SIZES, **changes})


@pytest.fixture(scope="module")
def tcp() -> ns.Result:
    return ns.simulate(netpipe())


# --- the scenario ----------------------------------------------------------------------------------------------------


def test_the_schedule() -> None:
    assert schedule(64) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    assert schedule(100)[-2:] == (64, 96)
    assert ns.NetPipe(sender=PC, receiver=PC).sizes == schedule()
    assert schedule()[-2:] == (6 * MIB, 8 * MIB)


def test_labels() -> None:
    assert netpipe().label == "NPtcp"
    assert netpipe(mpi="mpich-1.2.1").label == "NPmpi mpich-1.2.1"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": ()}, r"^sizes: .* at least one size"),
        ({"sizes": (2, 1)}, r"^sizes: .* each larger than the one before"),
        ({"sizes": (3, 3)}, r"^sizes: "),
        ({"sizes": (0, 3)}, r"^sizes.0: 0 is out of range"),
        ({"sizes": 5}, r"^sizes: 5 is not allowed; allowed: a list"),
        ({"mpi": "mpich-1.2"}, r'^mpi: nothing in mpi is called "mpich-1.2" \(did you mean "mpich-1.2.1"\?\)$'),
        (
            {"mpi": MpiSpec.from_name("mpich-1.2.1").replace("socket_buffer", "1 KiB")},
            r"^mpi.socket_buffer: 1024 bytes are too few: a buffer of 2048 bytes offers a window smaller than a segment"
            r" \(1448 bytes\); allowed: 1448 or more$",
        ),
        ({"trials": 0}, r"^trials: "),
        ({"trial_time": "0 s"}, r"^trial_time: "),
        ({"mtu": 9000}, r"^mtu: 9000 bytes are more than the link allows"),
        ({"sender": PC.replace("nics", ())}, r"^sender.nics: \[\] is not allowed; allowed: at least one adapter$"),
        ({"min_iterations": 2}, r"^min_iterations: more than max_iterations \(1\)$"),
    ],
)
def test_mistakes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        netpipe(**changes)


def test_the_bound_is_one_ways() -> None:
    stream = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
    assert netpipe().bounds().demand == pytest.approx(stream.bounds().demand)


def test_the_bound_of_unequal_hosts_is_the_mean_of_both_ways() -> None:
    one, other = netpipe(receiver=SLOW), netpipe(sender=SLOW)
    assert one.bounds().demand == pytest.approx(other.bounds().demand)
    ways = [ns.Netperf(test="TCP_STREAM", sender=a, receiver=b).bounds() for a, b in [(PC, SLOW), (SLOW, PC)]]
    for name, demand in one.bounds().demand.items():
        assert demand == pytest.approx(sum(way.demand[name] for way in ways) / 2)


def test_hosts_of_unequal_numbers_of_processors_have_a_bound() -> None:
    """Whichever host sends first; a resource that only one of them has is needed half of the time."""
    two = PC.replace("processors.count", 2)
    bounds = [ns.NetPipe(sender=one, receiver=other).bounds() for one, other in ((PC, two), (two, PC))]
    assert bounds[0].limit == bounds[1].limit
    alone, pair = (ns.NetPipe(sender=pc, receiver=pc).bounds().demand for pc in (PC, two))
    assert not any(name.endswith("kernel lock") for name in alone)
    for end in ("sender", "receiver"):
        assert bounds[0].demand[f"{end} kernel lock"] == pytest.approx(pair[f"{end} kernel lock"] / 2)


@pytest.mark.parametrize("pair", [(PC, PC), (SLOW, SLOW), (PC, SLOW), (SLOW, PC)])
@pytest.mark.parametrize("mpi", [None, "mpich-1.2.1", "mpipro-1.5"])
def test_the_bound_is_never_beaten(pair: tuple[Any, Any], mpi: str | None) -> None:
    test = netpipe(sender=pair[0], receiver=pair[1], mpi=mpi, sizes=(1448, 30_000, 500_000))
    result = ns.simulate(test)
    assert 0.5 * test.bounds().limit < result.throughput <= test.bounds().limit


# --- the run ---------------------------------------------------------------------------------------------------------


def trips(test: ns.NetPipe, size: int, number: int) -> NetPipeRun:
    """A run after this many round trips."""
    env = Environment(1)
    run = test.build(env)
    for _ in range(number):
        ended: list[bool] = []
        run.round_trip(size, lambda: ended.append(True))  # noqa: B023
        while not ended:
            env.step()
    run.audit()
    return run


@pytest.mark.parametrize("size", [1, 1447, 1448, 1449, 2896, 5000])
def test_a_message_comes_back_whole(size: int) -> None:
    run = trips(netpipe(), size, 3)
    for end in (run.near, run.far):
        assert end.read_bytes == end.output.write_seq == 3 * size
        assert not end.input.queue


def test_small_messages_carry_the_acknowledgements() -> None:
    """Except for each end's first data, which Linux 2.2 acknowledges at once as it has no estimate yet."""
    counts = trips(netpipe(), 100, 20).accounts().counts
    assert counts["segments sent"] == 40
    assert counts["acknowledgements sent"] == 2


def test_a_last_segment_waits_for_no_acknowledgement() -> None:
    """Nagle would keep the 52 bytes back until the full segment is acknowledged, which takes 20 ms."""
    point = ns.simulate(netpipe(sizes=(1500,))).curve[0]
    assert point.half_round_trip < 1e-3


def test_bit_errors_are_survived() -> None:
    result = ns.simulate(netpipe(sizes=(1000, 20_000)).replace("link.bit_error_rate", 1e-6), seed=3)
    assert result.curve[0].half_round_trip > 0
    assert not result.converged
    assert "where 0.2 % was asked for" in str(result)


def test_a_dead_link_is_an_error() -> None:
    with pytest.raises(ns.SimulationError, match=r"nothing was delivered for 1920 s; there 100 bytes"):
        ns.simulate(netpipe(sizes=(100,)).replace("link.bit_error_rate", 0.5))


# --- the result ------------------------------------------------------------------------------------------------------


def test_latency_and_bandwidth_are_the_curves(tcp: ns.Result) -> None:
    assert [point.size for point in tcp.curve] == list(SIZES)
    assert tcp.latency == tcp.curve[0].half_round_trip
    assert tcp.throughput == max(point.throughput for point in tcp.curve)
    best = max(tcp.curve, key=lambda point: point.throughput)
    assert tcp.half_width / tcp.throughput == pytest.approx(best.half_width / best.half_round_trip)
    assert tcp.iterations == (tcp.throughput,)
    assert tcp.converged


def test_the_books_are_those_of_the_best_point(tcp: ns.Result) -> None:
    alone = tcp.curve[-1]
    assert tcp.elapsed / (2 * alone.half_round_trip) == pytest.approx(round(tcp.elapsed / (2 * alone.half_round_trip)))
    assert tcp.elapsed < tcp.simulated
    assert tcp.utilisation["wire to receiver"] == pytest.approx(tcp.utilisation["wire to sender"], rel=0.01)
    assert 0.45 < tcp.utilisation["wire to receiver"] < 0.55


def test_what_is_in_the_way() -> None:
    wire = ns.simulate(netpipe(sizes=(64, 1024, 2 * MIB)))
    assert wire.bottleneck == "wire to receiver"
    assert 0.99 < wire.bottleneck_share <= 1
    assert ns.simulate(netpipe(sizes=(1,))).bottleneck == "latency"


def test_a_seed_gives_one_curve() -> None:
    noisy = netpipe(sizes=(1, 20_000)).replace("link.bit_error_rate", 5e-6)
    one, again, other = (ns.simulate(noisy, seed=seed, limit="100 ms") for seed in (5, 5, 6))
    assert one == again
    assert one.curve != other.curve


def test_iterations_are_put_together_point_by_point() -> None:
    noisy = netpipe(sizes=(1, 20_000), min_iterations=3, max_iterations=3).replace("link.bit_error_rate", 5e-6)
    result = ns.simulate(noisy, limit="100 ms")
    assert len(result.iterations) == 3
    assert result.throughput == pytest.approx(sum(result.iterations) / 3)


def test_text(tcp: ns.Result) -> None:
    lines = str(tcp).split("\n")
    told = re.match(r"NPtcp +([\d.]+) Mbit/s .* = ([\d.]+) x 2\^20 bit/s", lines[0])  # digits as the interval allows
    assert told is not None
    assert float(told[1]) == pytest.approx(tcp.throughput / 1e6, abs=0.05)
    assert float(told[2]) == pytest.approx(tcp.throughput / MEBIBIT, abs=0.05)
    assert f"latency {tcp.latency * 1e6:.1f} us" in lines[0]
    assert lines[3].startswith("curve      1 B in ")
    assert " ... 64 KiB in " in lines[3]


def test_html(tcp: ns.Result) -> None:
    text = tcp._repr_html_()
    assert "2^20 bit/s" in text
    assert "latency" in text
    assert ">64 KiB</td>" in text


def test_data(tcp: ns.Result) -> None:
    data = json.loads(tcp.to_json())
    assert data["latency"] == tcp.latency
    assert data["curve"][0] == {
        "size": 1, "half_round_trip": tcp.latency, "half_width": tcp.curve[0].half_width,
        "throughput": tcp.curve[0].throughput,
    }  # fmt: skip
    row = tcp.to_frame().iloc[0]
    assert row["latency"] == tcp.latency
    assert not any(isinstance(value, dict | list | tuple) for value in row)
    assert pickle.loads(pickle.dumps(tcp)) == tcp


def test_the_curve_as_a_table(tcp: ns.Result) -> None:
    frame = tcp.curve_frame()
    assert list(frame["size"]) == list(SIZES)
    assert list(frame["throughput"]) == [point.throughput for point in tcp.curve]
    stream = ns.simulate(ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC), limit="50 ms")
    assert (stream.latency, stream.curve) == (None, ())
    assert stream.curve_frame().empty
    assert list(stream.curve_frame()) == list(frame)
