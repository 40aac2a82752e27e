"""RFC 2544 for a receiving host."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import netsim as ns
from netsim.explore.rfc2544 import frame_trial
from tests.packet_tools import packets


def test_throughput_is_what_one_core_can_do() -> None:
    test = packets("linux-drop-raw")
    found = ns.rfc2544(test, [64, 1518], trial="20 ms").sizes
    assert [one.line_rate for one in found] == [148_809_523, 8_127_438]
    small, large = found
    assert 0.99 * test.bounds().limit < small.throughput <= test.bounds().limit
    assert frame_trial(test, small.throughput, 10_000).loss == 0
    assert small.losses[0] == (1, pytest.approx(1 - test.bounds().limit / small.line_rate, abs=0.01))
    assert small.mean < small.longest
    assert [loss for _, loss in small.losses] == sorted((loss for _, loss in small.losses), reverse=True)
    assert large.throughput == pytest.approx(small.throughput, rel=0.02)  # packets cost, not bytes


@pytest.mark.parametrize("trial", ["1 ms", "20 ms"])
def test_what_a_ring_absorbs_is_not_throughput(trial: str) -> None:
    """However short the trial: in 1 ms a ring absorbs half of the frames that a processor forwards meanwhile."""
    test = packets("linux-forward-one-route")
    found = ns.rfc2544(test, [64], trial=trial).sizes[0]
    assert 0.99 * test.bounds().limit < found.throughput <= test.bounds().limit
    assert found.mean < 10e-6  # a ring that is full takes 589 us
    assert found.mean < found.longest < 200e-6


@pytest.mark.parametrize(("clock", "trial"), [("3.6 GHz", "50 us"), ("30 MHz", "5 ms"), ("1 MHz", "20 ms")])
def test_a_trial_in_which_few_frames_are_handled_says_nothing(clock: str, trial: str) -> None:
    """Shorter than a poll, or not much longer: all frames wait in the ring, none for longer and longer as it seems."""
    test = packets("linux-forward-one-route", server__clock=clock)
    found = ns.rfc2544(test, 64, trial=trial).sizes[0]
    assert 0.98 * test.bounds().limit < found.throughput <= test.bounds().limit
    assert found.mean >= test.packet_time() / 1e12


def test_the_mean_of_nothing_is_not_zero() -> None:
    """In a quarter of a trial of 50 us no poll of a full ring ends."""
    trial = frame_trial(packets("linux-forward-one-route"), 20_000_000, 1000)
    assert trial.loss == 0
    assert math.isnan(trial.earlier)
    assert trial.growing
    assert not trial.steady


def test_a_load_slightly_too_high_does_not_pass_though_nothing_is_lost_yet() -> None:
    test = packets("linux-forward-one-route")
    most = test.bounds().limit
    above, below = (frame_trial(test, int(share * most), 17_000) for share in (1.005, 0.98))
    assert (above.loss, below.loss) == (0, 0)
    assert above.drift == pytest.approx(0.005, rel=0.1)
    assert above.growing
    assert not below.growing


def test_a_sender_that_pauses_has_no_rate() -> None:
    with pytest.raises(ns.ScenarioError, match=r"^pause: a sender that obeys pause frames can't keep a rate; "):
        ns.rfc2544(packets(pause="802.3x"), [64])


def test_a_ring_takes_a_burst_that_is_as_long() -> None:
    """Plus what the core handles meanwhile; a longer ring takes a longer burst."""
    bursts = [ns.rfc2544(packets("linux-drop-raw", driver__rx_ring=ring), [64], trial="1 ms").sizes[0].back_to_back
              for ring in (256, 1024)]  # fmt: skip
    assert bursts[0] == pytest.approx(256, rel=0.1)
    assert bursts[1] == pytest.approx(1024, rel=0.1)


def test_a_fast_host_keeps_up_with_the_wire() -> None:
    found = ns.rfc2544(packets("xdp-drop"), [1518], trial="1 ms").sizes[0]
    assert found.throughput == found.line_rate
    assert found.losses == ((1, 0), (0.9, 0))
    assert found.back_to_back == found.line_rate // 1000


def test_it_is_a_table_and_a_text() -> None:
    found = ns.rfc2544(packets("xdp-drop"), [512, 1518], trial="1 ms")
    table = found.to_frame()
    assert [*table["frame"]] == [512, 1518]
    assert "loss at 100%" in table
    assert str(found).splitlines()[1].startswith(" 512 B")
    assert repr(found) == str(found)  # as a notebook shows it


def test_long_times_do_not_touch_the_next_column() -> None:
    found = ns.rfc2544(packets("linux-drop-raw", server__clock="1 MHz"), 64, trial="1 ms")
    slow = replace(found.sizes[0], mean=1.0, longest=12.5)
    head, line = str(replace(found, sizes=(slow,))).splitlines()
    assert line.split()[6:10] == ["1000000.00", "us", "12500000.00", "us"]
    assert head.startswith(" frame")
    assert len(head) == len(line)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"resolution": 0}, "resolution: 0 is not allowed"),
        ({"trial": "soon"}, "trial: "),
        ({"trial": 1}, r"trial: 1 ps has no frame; allowed: 6\.721 ns or more"),
        ({"frames": []}, r"frames: \[\] is not allowed; allowed: at least one size"),
        ({"frames": None}, "frame: null is not the size of a frame"),
    ],
)
def test_what_is_wrong_is_refused(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=message):
        ns.rfc2544(packets(), **keys)  # type: ignore[arg-type]
    with pytest.raises(ns.ScenarioError, match="test: "):
        ns.rfc2544("packets")  # type: ignore[arg-type]
