"""Runs that a user cuts short, and their progress bar."""

from __future__ import annotations

import io
import pickle
import re
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError, SimulationError
from netsim.measure import monitor, simulation
from netsim.measure.simulation import unattended
from netsim.sweeps import worker
from netsim.sweeps.version import model_version
from netsim.units import MS, S

PC = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
TCP = ns.Netperf("TCP_STREAM", PC, PC)
QUICK: dict[str, Any] = {"precision": 0, "limit": "300 ms"}  # 135 samples
STILL = PC.replace({"system.kernel.tick": 0, "system.tcp.delayed_ack_limit": 0})  # equal round trips: few are enough
PIPE = ns.NetPipe(STILL, STILL, sizes=[1, 1000, 2000, 4000, 8000, 16000, 32000])
FAILS = ns.Chariot(
    "download", PC, [PC], "summit48", duration="600 ms", min_iterations=1, max_iterations=1, link="100base-tx",
    file_size=10_000, outages=[{"host": "server", "at": "250 ms", "until": "255 ms"}],
)  # fmt: skip

LINE = (
    r".+: +(?P<percent>\d+) %\|.*\| [\d:]+, [\d:?]+ left, (?P<simulated>[\d.]+) ms simulated, (?P<frames>[\d,]+) frames"
    r"(, \+/- (?P<interval>[\d.]+)%)?"
)

Press = Callable[..., None]


@pytest.fixture
def press(monkeypatch: pytest.MonkeyPatch) -> Press:
    """Presses Ctrl-C in the middle of an event, `at` (ps) of an iteration, counted from now on."""

    def press(at: int, iteration: int = 0) -> None:
        numbers = count()

        def made(seed: int) -> Environment:
            env = Environment(seed)
            if next(numbers) == iteration:
                env.call_at(at, _press)
            return env

        monkeypatch.setattr(simulation, "Environment", made)

    return press


def _press(_: object) -> None:
    raise KeyboardInterrupt


class Clock:
    """Advances by `step` s at each reading."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(0.1)
    monkeypatch.setattr(monitor, "monotonic", clock)
    return clock


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def test_ctrl_c_gives_what_whole_samples_say(press: Press) -> None:
    """The whole samples before it, of all iterations: its time within a sample doesn't matter."""
    cut = []
    for at in (200 * MS, 204 * MS):
        press(at)
        cut.append(ns.simulate(TCP, **QUICK))
    assert len({(one.throughput, one.half_width, one.elapsed, one.frames) for one in cut}) == 1
    for one in cut:
        assert one.cut_short == "interrupted"
        assert not one.converged
        assert len(one.iterations) == 2
        # Without the warm-up, half of it at most, and without the sample that was cut.
        assert 2 * 0.06 < one.elapsed < 2 * 0.173
        assert one.throughput == pytest.approx(TCP.bounds().limit, rel=0.001)
    assert cut[1].simulated - cut[0].simulated == pytest.approx(0.004)


def test_ctrl_c_in_a_later_iteration_leaves_what_all_have(press: Press) -> None:
    press(205 * MS, iteration=1)
    cut = ns.simulate(TCP, **QUICK)
    one, two = (samples.edges[-1] for samples in cut.samples)
    assert one == pytest.approx(two, rel=0.01)
    assert 0.7 * 205 * MS < one < 205 * MS
    assert cut.cut_short == "interrupted"
    assert not cut.converged


def test_ctrl_c_before_anything_is_measured_is_raised(press: Press) -> None:
    press(40 * MS)
    with pytest.raises(KeyboardInterrupt):
        ns.simulate(TCP, **QUICK)


def test_what_makes_many_runs_is_interrupted_as_a_whole(press: Press) -> None:
    """A sweep's store gets no result that was cut short."""
    press(205 * MS)
    with pytest.raises(KeyboardInterrupt):
        unattended(TCP, **QUICK)
    press(205 * MS)
    with pytest.raises(KeyboardInterrupt):
        worker.compute(worker.pack(TCP), 1, QUICK, model_version())


def test_of_a_series_the_sizes_before_it_are_left(press: Press) -> None:
    whole = ns.simulate(PIPE)
    press(round(whole.simulated / 2 * S))
    cut = ns.simulate(PIPE)
    assert 0 < len(cut.curve) < len(whole.curve)
    assert cut.curve == whole.curve[: len(cut.curve)]
    assert cut.latency == whole.latency
    assert cut.cut_short == "interrupted"
    press(1)
    with pytest.raises(KeyboardInterrupt):
        ns.simulate(PIPE)


@pytest.mark.parametrize(("at", "phases"), [(150 * MS, 1), (252 * MS, 1), (290 * MS, 3), (395 * MS, 3)])
def test_of_a_run_with_outages_the_time_before_it_is_left(press: Press, at: int, phases: int) -> None:
    """A phase of less than two samples is not significant, and is left out."""
    whole = ns.simulate(FAILS)
    press(at)
    cut = ns.simulate(FAILS)
    assert len(whole.phases) == 3
    assert len(cut.phases) == phases
    assert cut.history == whole.history[: len(cut.history)]
    assert at / S - 0.011 <= cut.elapsed + 0.03 <= at / S
    assert cut.cut_short == "interrupted"


# --- wall_limit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("test", "seconds"), [(TCP, 2), (FAILS, 2), (PIPE, 10)], ids=["TCP", "Chariot", "NetPIPE"])
def test_a_wall_limit_ends_a_run_with_the_result_so_far(clock: Clock, test: ns.Scenario, seconds: int) -> None:
    """Here a sample, or a round trip, takes 0.1 s."""
    cut = ns.simulate(test, limit="300 ms", wall_limit=f"{seconds} s")
    assert cut.cut_short == "wall limit"
    assert not cut.converged
    assert cut == ns.simulate(test, limit="300 ms", wall_limit=seconds)
    assert cut.simulated < 0.25


def test_a_run_that_a_wall_limit_cuts_is_audited(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def audit(_: object) -> None:
        raise ConservationError("one frame is missing")

    monkeypatch.setattr("netsim.topology.ledger.Ledger.audit", audit)
    with pytest.raises(ConservationError, match="one frame is missing"):
        ns.simulate(TCP, **QUICK, wall_limit="2 s")


def test_a_wall_limit_in_which_nothing_can_be_measured(clock: Clock) -> None:
    with pytest.raises(SimulationError, match=r"nothing could be measured within the wall_limit of 0.3 s") as caught:
        ns.simulate(TCP, wall_limit="300 ms")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # it may come from another process


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("10", 'wall_limit: "10" needs a unit'),
        (0, "wall_limit: .* out of range"),
        (True, "wall_limit: true is not a time"),
        (float("nan"), "wall_limit: .* is not a time"),
        ("2 MiB", "wall_limit: .* is not a time"),
    ],
)
def test_wrong_wall_limits_are_named(limit: Any, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        ns.simulate(TCP, wall_limit=limit)


def test_a_run_that_is_not_cut_is_the_same_whatever_watches_the_clock() -> None:
    plain = ns.simulate(TCP, **QUICK)
    assert plain == unattended(TCP, **QUICK)
    assert plain == ns.simulate(TCP, **QUICK, wall_limit="1e6 s", progress=True)
    assert plain.cut_short == ""


# --- what a user sees ------------------------------------------------------------------------------------------------


def test_a_result_that_was_cut_short_says_so(press: Press) -> None:
    plain = ns.simulate(TCP, **QUICK)
    press(205 * MS)
    result = ns.simulate(TCP, **QUICK)
    note = f"cut short (interrupted): result after {result.simulated:.4g} s of simulated time"
    assert str(result).splitlines()[-1].split(maxsplit=1) == ["note", note]
    assert note in result._repr_html_()
    assert result.to_record()["cut_short"] == "interrupted"
    assert ns.Result.from_json(result.to_json()) == result
    line = next(line for line in str(plain.compare(result)).splitlines() if line.startswith("cut short"))
    assert line.split() == ["cut", "short", "no", "interrupted"]
    assert "cut short" not in f"{plain}{plain.compare(plain)}"


class Terminal(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def told(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The lines that a run writes to stderr, each over the one before."""

    def told(terminal: bool, progress: bool | None, test: ns.Scenario = TCP) -> list[str]:
        stream = Terminal(terminal)
        monkeypatch.setattr(sys, "stderr", stream)
        limit, precision = ("450 ms", 0) if test is TCP else ("300 ms", 0.002)
        ns.simulate(test, progress=progress, limit=limit, precision=precision)
        return [line for line in stream.getvalue().split("\r") if line.strip()]

    return told


@pytest.mark.parametrize(("terminal", "progress"), [(True, None), (False, True), (True, True)])
def test_a_long_run_tells_how_far_it_is(
    told: Callable[..., list[str]], terminal: bool, progress: bool | None
) -> None:
    """The first line appears after two seconds, at 0.1 s for a sample; two iterations run side by side."""
    lines = told(terminal, progress)
    first, last = (re.fullmatch(LINE, line.rstrip()) for line in (lines[0], lines[-1]))
    assert first is not None
    assert last is not None
    assert 8 < int(first["percent"]) < 15
    assert 2 * 40 < float(first["simulated"]) < 2 * 60
    assert first["interval"] is None  # first computed at 150 samples
    assert 90 < int(last["percent"]) <= 100
    assert 2 * 430 < float(last["simulated"]) <= 2 * 450
    assert float(last["interval"]) < 1
    assert int(last["frames"].replace(",", "")) == pytest.approx(12_500 * float(last["simulated"]) / 1e3, rel=0.1)


@pytest.mark.parametrize(("terminal", "progress"), [(False, None), (False, False), (True, False)])
def test_it_is_silent_elsewhere(told: Callable[..., list[str]], terminal: bool, progress: bool | None) -> None:
    assert told(terminal, progress) == []


def test_a_short_run_is_silent(clock: Clock, told: Callable[..., list[str]]) -> None:
    clock.step = 0.004
    assert told(True, None) == []


@pytest.mark.parametrize("test", [PIPE, FAILS], ids=lambda test: test.label)
def test_it_tells_of_series_and_outages(told: Callable[..., list[str]], test: ns.Scenario) -> None:
    percent = [int(match["percent"]) for line in told(True, None, test) if (match := re.fullmatch(LINE, line.rstrip()))]
    assert percent == sorted(percent)
    assert percent[0] < percent[-1] <= 100
    assert percent[-1] > 65  # only the last of NetPIPE's sizes is left


def test_without_a_stderr_it_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under pythonw."""
    monkeypatch.setattr(sys, "stderr", None)
    assert ns.simulate(TCP, **QUICK).throughput > 0
