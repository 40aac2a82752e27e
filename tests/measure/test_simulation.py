"""simulate: when it ends, what it measures, and its results, which are the same everywhere."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import netsim as ns
from netsim.accounts import Accounts, Bounds, Resource
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError, SimulationError
from netsim.scenario import Scenario, StreamRun
from netsim.units import MS, US, S
from tests.packet_tools import packets
from tests.stream_hosts import stream

CPU, WIRE = Resource("host", "processor", 0), Resource("receiver", "cable")


class Ticks(Scenario):
    """Delivers `piece` bytes every `period` (ps), evenly or with a `jitter` (ps), from `start` to `stop`."""

    piece: int = 1500
    period: int = 100 * US
    jitter: int = 0
    start: int = 0
    stop: int = 10**18
    idles: bool = True
    lost: bool = False
    duration: int = 60 * S
    min_iterations: int = 2
    max_iterations: int = 10
    confidence: float = 0.99
    interval: float = 0.05

    @property
    def label(self) -> str:
        return "TICKS"

    @property
    def rate(self) -> float:
        return self.piece * 8 * S / self.period

    def bounds(self) -> Bounds:
        return Bounds({WIRE: self.period}, self.piece)

    def build(self, env: Environment) -> StreamRun:
        return TicksRun(env, self)


class TicksRun(StreamRun):
    def __init__(self, env: Environment, spec: Ticks) -> None:
        self.env, self.spec, self.ticks = env, spec, 0
        self.random = env.stream("ticks")
        self.duration = spec.duration

    def start(self) -> None:
        spec = self.spec
        self.env.call_at(spec.start + int(self.random.integers(spec.period)), self._tick)
        if spec.idles:
            self.env.call_at(0, self._idle)

    def _idle(self, _: Any) -> None:
        self.env.call_in(50 * MS, self._idle)

    def _tick(self, _: Any) -> None:
        if self.env.now >= self.spec.stop:
            return
        self.ticks += 1
        shift = int(self.random.integers(-self.spec.jitter, self.spec.jitter + 1))
        self.env.call_in(self.spec.period + shift, self._tick)

    @property
    def delivered(self) -> int:
        return self.ticks * self.spec.piece

    def accounts(self) -> Accounts:
        now = self.env.now
        busy = now // 2
        frames = {WIRE: self.ticks}
        return Accounts(now, self.delivered, {CPU: {"work": busy}}, {CPU: now - busy}, {WIRE: now}, frames=frames)

    def audit(self) -> None:
        if self.spec.lost:
            raise ConservationError("one frame is missing")

    def waiting_for(self) -> str:
        return "the clock is waited for"


class Drains(Ticks):
    """Its bound is a twentieth below its rate: only a queue that was full at the start makes that possible."""

    def bounds(self) -> Bounds:
        return Bounds({WIRE: self.period * 1.05}, self.piece)


def netperf(model: str = "piii-600", **more: Any) -> ns.Netperf:
    pc = ns.host(model, system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.Netperf(**{"test": "TCP_STREAM", "sender": pc, "receiver": pc, **more})


# --- measurements ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [64, 1448, 65507, 10**6])
def test_whole_deliveries_are_measured_however_large_they_are(piece: int) -> None:
    ticks = Ticks(piece=piece, period=piece * 80_000)  # 100 Mbit/s
    result = ns.simulate(ticks)
    assert result.throughput == pytest.approx(ticks.rate, rel=1e-9)
    assert result.half_width < 1e-6 * ticks.rate
    assert result.converged


def test_a_steady_run_takes_a_small_part_of_the_tools_time() -> None:
    result = ns.simulate(Ticks())
    assert result.elapsed < 1.0
    assert len(result.iterations) == 2


def test_noise_is_simulated_for_longer_and_the_interval_holds_the_mean() -> None:
    ticks = Ticks(piece=65507, period=5 * MS, jitter=2 * MS)
    result = ns.simulate(ticks, precision=0.01)
    assert result.converged
    assert 0 < result.half_width < 0.01 * result.throughput
    assert abs(result.throughput - ticks.rate) < result.half_width
    assert result.elapsed > 1.0


def test_a_slow_start_is_cut_off() -> None:
    result = ns.simulate(Ticks(start=150 * MS))
    assert result.throughput == pytest.approx(Ticks().rate, rel=1e-3)


def test_a_mean_above_its_bound_has_not_settled_however_steady_it_is() -> None:
    result = ns.simulate(Drains(duration=S))
    assert not result.settled
    assert not result.converged
    assert result.simulated > 1.9  # two iterations, to the end
    assert "not in steady state: the closed form allows 114.29 Mbit/s, so queues still drain" in str(result)


@pytest.mark.parametrize(("duration", "settles"), [("20 ms", False), ("200 ms", True)])
def test_rings_that_drain_evenly_through_the_whole_run_are_noticed(duration: str, settles: bool) -> None:
    """The slot is the bottleneck, but its queue is filled at the start, and so the processors determine the rate until
    the rings are empty."""
    test = packets("linux-drop-conntrack", 200, 6, server="xeon-e5-2630", pcie="pcie-1-x8")
    result = ns.simulate(test.replace("duration", duration))
    assert (result.settled, result.converged) == (settles, settles)
    assert (result.throughput <= test.bounds().limit) == settles


def test_the_tools_own_duration_ends_what_never_gets_precise() -> None:
    result = ns.simulate(Ticks(jitter=99 * US, duration=S, interval=0.9), precision=1e-6)
    assert not result.converged
    assert 1.9 < result.simulated <= 2.0
    assert len(result.iterations) == 2


def test_a_limit_ends_it_earlier() -> None:
    result = ns.simulate(Ticks(jitter=99 * US, interval=0.9), precision=1e-6, limit="500 ms")
    assert 0.9 < result.simulated <= 1.0


def test_the_tool_repeats_until_its_own_interval_is_narrow() -> None:
    rough = Ticks(jitter=99 * US, duration=20 * MS, interval=0.0001)
    assert len(ns.simulate(rough).iterations) == 10
    assert len(ns.simulate(rough.replace("max_iterations", 4)).iterations) == 4


@pytest.mark.parametrize("duration", [S // 10, 3 * MS])
def test_a_test_shorter_than_the_warm_up_is_measured_all_the_same(duration: int) -> None:
    result = ns.simulate(Ticks(duration=duration))
    assert result.throughput == pytest.approx(Ticks().rate, rel=1e-9)
    assert result.simulated <= 2 * duration / S


# --- runs that make no progress --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ticks", "message"),
    [
        (Ticks(stop=S // 10), "after 59.* s: nothing was delivered, and no frame sent for 59.* s; the clock"),
        (Ticks(stop=S // 10, idles=False), "nothing can happen any more; the clock is waited for"),
        (Ticks(start=S, duration=S // 10), "after .*ms: nothing was delivered, and no frame sent for .* ms; the clock"),
        (Ticks(duration=40), "nothing was delivered"),
    ],
)
def test_a_run_that_stands_still_says_what_it_waits_for(ticks: Ticks, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        ns.simulate(ticks, precision=0)


def test_a_limit_too_short_for_anything_to_move_is_named() -> None:
    late = Ticks(start=S)
    with pytest.raises(ns.ScenarioError, match=r"^limit: 100 ms is too short: .* allowed: longer, such as ") as refused:
        ns.simulate(late, limit="100 ms")
    assert ns.simulate(late, limit=str(refused.value).rpartition("such as ")[2]).throughput > 0
    with pytest.raises(SimulationError, match="nothing was delivered, and no frame sent"):
        ns.simulate(Ticks(start=61 * S), limit="100 ms")


def test_the_books_are_checked_at_the_end() -> None:
    with pytest.raises(ConservationError, match="one frame is missing"):
        ns.simulate(Ticks(lost=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed: -1 is not allowed"),
        ({"progress": "x"}, 'progress: "x" is not allowed; allowed: True, False or None'),
        ({"seed": 1.5}, "seed: 1.5 is not allowed"),
        ({"seed": True}, "seed: true is not allowed"),
        ({"seed": np.bool_(True)}, "seed: np.True_ is not allowed"),
        ({"seed": np.int64(-1)}, "seed: -1 is not allowed"),
        ({"precision": np.bool_(False)}, "precision: np.False_ is not allowed"),
        ({"precision": np.float32(1)}, "precision: 1.0 is not allowed"),
        ({"precision": 1}, "precision: 1 is not allowed"),
        ({"warm_up": "30"}, "warm_up: .* needs a unit"),
        ({"sample": "0 ms"}, "sample: .* out of range"),
        ({"limit": "10 Mbit/s"}, "limit: .* is not a time"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        ns.simulate(Ticks(), **arguments)


def test_numpy_numbers_are_as_good_as_plain_ones() -> None:
    plain = {"seed": 2, "precision": 0.25, "warm_up": 2 * 10**10, "sample": 10**9, "limit": 10**12, "wall_limit": 60.0}
    types = {int: np.int64, float: np.float32}
    found = ns.simulate(Ticks(), **plain)  # type: ignore[arg-type]
    same = ns.simulate(Ticks(), **{name: types[type(value)](value) for name, value in plain.items()})
    assert same == found
    assert same.to_json() == found.to_json()
    assert (type(same.seed), type(same.precision)) == (int, float)


def test_a_confidence_without_an_interval_is_refused() -> None:
    pc = ns.host("p166", system="linux-2.2.16", nics=["rtl8139/rtl8139"])
    with pytest.raises(ScenarioError, match="confidence: "):
        ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc, confidence=1.0)


def test_what_is_no_scenario_is_refused() -> None:
    with pytest.raises(ScenarioError, match="is not a scenario"):
        ns.simulate(ns.host("p166", system="linux-2.2.16"))  # type: ignore[arg-type]


# --- netperf ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("test", "message"), [("TCP_STREAM", None), ("UDP_STREAM", 1472)])
def test_a_wire_bound_test_meets_its_bound(test: str, message: int | None) -> None:
    scenario = netperf(test=test, message=message)
    bounds = scenario.bounds()
    result = ns.simulate(scenario)
    assert bounds.bottleneck == "wire to receiver"
    assert result.throughput == pytest.approx(bounds.limit, rel=5e-4)
    assert result.bottleneck == "wire to receiver"


SCRIPT = """
import netsim as ns
pc = ns.host("p166", system="linux-2.2.16", nics=["rtl8139/rtl8139"])
link = {"model": "100base-tx", "bit_error_rate": 1e-7}
test = ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc, link=link, mtu=576)
print(ns.simulate(test, seed=3, limit="200 ms").to_json())
"""


@pytest.mark.parametrize(("rate", "duration", "lost"), [(5e-9, "20 s", 5), (1e-9, "2 s", 1), (1e-15, "20 s", 0)])
def test_a_run_waits_for_the_losses_that_its_whole_test_would_see(rate: float, duration: str, lost: int) -> None:
    """Ten with those of the warm-up, if there are as many: no interval covers what has not happened yet."""
    test = stream("1000base-t", 1500, link__bit_error_rate=rate, duration=duration)
    result = ns.simulate(test, precision=0.05)
    assert sum(result.drops.values()) >= lost
    assert (result.simulated < 1) == (lost == 0)


def test_a_warm_up_that_is_given_is_kept() -> None:
    """Only the default is shortened, to a quarter of a short test."""
    asked = ns.simulate(Ticks(), precision=0.05, warm_up="1 s", limit="3 s")
    assert asked.samples[0].origin == S
    most = ns.simulate(Ticks(), precision=0.05, warm_up="90 ms", limit="100 ms")
    assert most.samples[0].origin == 90 * MS
    assert most.throughput == pytest.approx(Ticks().rate, rel=1e-9)
    assert ns.simulate(Ticks(), precision=0.05, limit="40 ms").samples[0].origin == 10 * MS


@pytest.mark.parametrize("settings", [{"limit": "3 s"}, {"limit": "0.5 s"}, {"limit": "1 s"}])
def test_a_warm_up_without_room_for_samples_is_refused_with_the_longest(settings: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match=r"warm_up: .* leave no room for 30 samples; allowed: up to ") as refused:
        ns.simulate(Ticks(), warm_up="3 s", **settings)
    most = str(refused.value).rpartition("up to ")[2]
    assert ns.simulate(Ticks(), precision=0.05, warm_up=most, **settings).throughput > 0


def test_a_test_too_short_to_be_sampled_is_refused() -> None:
    with pytest.raises(ScenarioError, match="duration: 39 ps is too short; allowed: 40 ps or more"):
        ns.simulate(Ticks(duration=39))
    with pytest.raises(ScenarioError, match="limit: 39 ps is too short; allowed: 40 ps or more"):
        ns.simulate(Ticks(), limit=39)


def test_the_same_seed_gives_the_same_result_in_every_process() -> None:
    outputs = [
        subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed},
                       capture_output=True, text=True, check=True).stdout
        for seed in ("0", "4711")
    ]
    assert outputs[0] == outputs[1]
    assert '"seed": 3' in outputs[0]


def test_the_seed_matters_and_its_iterations_are_independent() -> None:
    ticks = Ticks(jitter=99 * US)
    one, again, other = (ns.simulate(ticks, seed=seed, precision=0.05) for seed in (1, 1, 2))
    assert one == again
    assert one.iterations != other.iterations
    assert one.iterations[0] != one.iterations[1]


# --- the package -----------------------------------------------------------------------------------------------------


def test_importing_netsim_imports_nothing_heavy() -> None:
    heavy = "{'pandas', 'matplotlib', 'scipy', 'pint', 'jinja2', 'dask'}"
    script = f"import sys, netsim; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_everything_promised_is_there() -> None:
    for name in ns.__all__:
        assert getattr(ns, name) is not None
    with pytest.raises(AttributeError, match="simulat"):
        ns.simulat  # noqa: B018


KEPT = pytest.mark.xfail(strict=True, reason="MSER sees the round trips' bursts, and keeps slow start: 2.6 % too low")


@pytest.mark.parametrize(
    ("propagation", "mbit_per_s", "seed"),
    [
        ("50 ms", 2.50, 1),
        ("100 ms", 1.271, 1),
        ("250 ms", 0.505, 1),
        pytest.param("250 ms", 0.505, 8, marks=KEPT),
    ],
)
def test_what_waits_most_of_the_time_is_known_as_precisely(propagation: str, mbit_per_s: float, seed: int) -> None:
    """A window for each round trip is a tiny part of what the wire can carry."""
    result = ns.simulate(netperf().replace("link.propagation", propagation), precision=0.02, seed=seed)
    assert result.mbit_per_s == pytest.approx(mbit_per_s, rel=0.02)
    assert result.converged
    assert result.half_width <= 0.02 * result.throughput


def test_a_small_offered_load_arrives() -> None:
    test = netperf(test="UDP_STREAM", message=64000, offered="1 Mbit/s")
    assert test.bounds().limit == 1e6
    assert ns.simulate(test, precision=0.01).throughput == pytest.approx(1e6, rel=0.01)


# --- a user's own run ------------------------------------------------------------------------------------------------


class Odd(Ticks):
    """Its run delivers what the ticks so far are mapped to, or lets time stand still at 60 ms."""

    kind: str

    def build(self, env: Environment) -> StreamRun:
        return OddRun(env, self)


class OddRun(TicksRun):
    def start(self) -> None:
        super().start()
        if self.spec.kind == "stands":  # type: ignore[attr-defined]
            self.env.process(self._stands())

    def _stands(self) -> Any:
        yield self.env.timeout(60 * MS)
        while True:
            yield self.env.timeout(0)

    @property
    def delivered(self) -> int:
        count = {"falls": 10_000 - self.ticks, "fraction": self.ticks / 2}
        return count.get(self.spec.kind, self.ticks)  # type: ignore[attr-defined,return-value]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("stands", "time stands still at 60000000000 ps, where a million events have planned others"),
        ("falls", r"delivered has fallen from \d+ to \d+; allowed: a count from the start on"),
        ("fraction", r"delivered is \d+\.\d; allowed: a whole number"),
    ],
)
def test_faults_of_an_own_run_are_named(kind: str, told: str) -> None:
    with pytest.raises(SimulationError, match=f"^{told}$"):
        ns.simulate(Odd(kind=kind), wall_limit="1 s" if kind == "stands" else None)
