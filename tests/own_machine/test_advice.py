"""What would help four machines, by simulation: each fault's remedy, its interval, and remedies without effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from netsim.accounts import Resource
from netsim.own_machine import prediction
from netsim.own_machine.advice import Advice, Advised, advise, bounds_of
from netsim.own_machine.prediction import Prediction
from netsim.own_machine.simulated_run import scenario_of
from netsim.own_machine.stream_test import stream_test
from netsim.show import advice_view
from tests.own_machine.quick import ADAPTERS, MLX5, machine


@pytest.fixture(autouse=True, scope="module")
def short() -> Iterator[None]:
    """One of three processor costs, which is enough for these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prediction, "SPEEDS", (1.0,))
        yield


@cache
def advised(name: str) -> Advised:
    return advise(machine(name))


def the(name: str, words: str) -> Advice:
    (found,) = [one for one in advised(name).advice if words in one.finding.what]
    return found


def test_a_measured_run_is_simulated_and_its_miss_is_shown() -> None:
    """Nothing is fitted to it: another measurement does not change the simulation."""
    (run,) = advised("server-mlx5").simulated
    assert run.prediction is not None
    assert run.miss == pytest.approx(run.prediction.likely.throughput / 37_600_235_911 - 1)
    slower = machine("server-mlx5").replace(f"adapters.{MLX5}.measured.rate", "10 Gbit/s")
    assert scenario_of(slower) == run.prediction.likely.scenario
    assert not replace(run, measured=10e9).holds
    lines = " ".join(advice_view.simulated(run))
    assert "measured 37.6 Gbit/s, simulated 38.6" in lines
    assert "limited by this machine's core for the reading process (100% busy; 27 of" in " ".join(lines.split())


def test_the_interval_holds_what_slower_and_faster_processors_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that copies is the bottleneck here, so the cycle time decides."""
    monkeypatch.setattr(prediction, "SPEEDS", (1.0, 2 / 3))
    test = stream_test(machine("server-mlx5"), MLX5).scenario
    found = prediction.predict(test)
    likely, slow = (one.throughput for one in found.results)
    assert 0.6 * likely < slow < 0.9 * likely
    assert found.low <= slow < likely <= found.high


@pytest.mark.parametrize(
    ("name", "words", "least"),
    [
        ("server-ixgbe", "the receive ring has 64 descriptors", 2.0),
        ("server-ixgbe", "no receive descriptor was free", 2.0),
        ("server-mlx5", "trained as generation 3 x8", 1.0),
        ("board-arm", "the slot supports only generation 2 x1", 2.0),
        ("board-arm", "MaxPayload", 1.1),
    ],
)
def test_a_fault_that_costs_throughput_says_how_much_for_sure(name: str, words: str, least: float) -> None:
    found = the(name, words).gain
    assert found is not None
    assert found.sure
    assert least < found.low <= found.factor <= found.high


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("desktop-e1000e", "segmentation offload is off"),  # the wire is full anyway
        ("desktop-e1000e", "generic receive offload is off"),
        ("server-ixgbe", "MaxPayload"),
        ("server-ixgbe", "one receive queue"),  # there is only one stream
        ("server-ixgbe", "time_squeeze"),
        ("server-mlx5", "the receive ring has 1024 descriptors of at most 8192"),
    ],
)
def test_what_gives_nothing_says_so(name: str, words: str) -> None:
    found = the(name, words).gain
    assert found is not None
    assert (found.sure, found.low <= 1 <= found.high) == (False, True)
    assert found.high < 1.05


@pytest.mark.parametrize("words", ["own memory was full", "backlog was full", "IOMMU"])
def test_what_no_simulation_tells_has_no_number(words: str) -> None:
    assert the("server-ixgbe", words).gain is None


@pytest.mark.parametrize("name", ADAPTERS)
def test_what_gives_most_for_sure_is_first(name: str) -> None:
    gains = [one.gain for one in advised(name).advice]
    sure = [one.factor for one in gains if one and one.sure]
    assert sure == sorted(sure, reverse=True)
    ranks = [2 if one is None else 0 if one.sure else 1 if one.likely else 3 for one in gains]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("name", ADAPTERS)
def test_no_gain_is_beyond_a_bound(name: str) -> None:
    """No wire carries more than its rate."""
    own = ADAPTERS[name]
    rate = machine(name).get(f"adapters.{own}.rate")
    assert all(one.gain.rate <= rate for one in advised(name).advice if one.gain)


@pytest.mark.parametrize("name", ADAPTERS)
def test_no_rate_is_above_what_the_wire_brings(name: str) -> None:
    """Even where much that was waiting is read at the beginning of a short run."""
    (bound,) = [one for one in bounds_of(machine(name)) if one.adapter == ADAPTERS[name]]
    found = [one for one in advised(name).advice if one.gain and not any("mtu" in at for at in one.finding.changes)]
    assert all(one.gain.rate <= bound.bounds["wire"] * (1 + 1e-9) for one in found if one.gain)
    for run in advised(name).simulated:
        if run.prediction is not None:
            assert run.prediction.high <= run.prediction.likely.scenario.bounds().limit * (1 + 1e-9)


def test_what_is_lost_is_not_called_busy() -> None:
    (one,) = advised("server-ixgbe").simulated
    assert one.prediction is not None
    first, *others = one.prediction.results
    (place,) = first.dropped
    limited = replace(first, bottleneck=Resource(place.where, place.what), bottleneck_share=0.013)
    lost = replace(one, prediction=Prediction((limited, *others)))
    text = " ".join(" ".join(advice_view.simulated(lost)).split())
    assert "limited by this machine's receive ring (1% lost; 323 of" in text


def test_together_takes_what_adds_something() -> None:
    """With its missing lanes restored, the slot lets several threads fill the wire."""
    which, most = advised("server-mlx5").together[MLX5]
    assert {one.finding.what.split(",")[0] for one in which} >= {
        "one thread for 8 streams", "the link was trained as generation 3 x8"
    }  # fmt: skip
    assert most.rate > 90e9
    for name in ADAPTERS:
        for which, gain in advised(name).together.values():
            assert len(which) > 1
            assert all(gain.factor > one.gain.factor for one in which if one.gain)


def test_what_is_at_its_bound_already_is_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    test = stream_test(machine("desktop-e1000e"), ADAPTERS["desktop-e1000e"]).scenario
    before = prediction.predict(test)
    monkeypatch.setattr(prediction, "unattended", None)
    assert prediction.gain(before, test.replace("receiver.tso", True)).factor == 1


def test_a_repaired_machine_gets_no_advice_about_its_faults() -> None:
    """A remedied fault is no longer a finding."""
    from netsim.own_machine.faults import findings

    for name in ADAPTERS:
        for one in findings(machine(name)):
            if one.changes:
                again = findings(machine(name).replace(dict(one.changes)))
                counted = any(word in one.what for word in ("dropped", "time_squeeze"))
                assert counted or one.what not in [each.what for each in again]
