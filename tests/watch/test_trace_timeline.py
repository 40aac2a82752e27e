"""A timeline in memory: its tables agree with the run's accounts, and its picture shows them."""

from dataclasses import replace

import matplotlib as mpl
import pytest
from matplotlib import pyplot

import netsim as ns
from netsim.errors import ScenarioError
from tests.watched import EXAMPLES, MS

mpl.use("Agg")
TCP = ns.load(EXAMPLES / "p166.toml")


@pytest.fixture(scope="module")
def line():
    return ns.timeline(TCP, duration="3 ms", seed=1)


def test_same_seed_same_timeline(line):
    assert line == ns.timeline(TCP, duration="3 ms", seed=1)
    assert line != ns.timeline(TCP, duration="3 ms", seed=2)
    assert str(line) == (
        f"TCP_STREAM from 0 s for 3 ms: {len(line.journeys)} frames, "
        f"{sum(one.how == 'taken' for one in line.journeys)} of them taken; "
        f"{len(line.spans)} spans on {len(line.tracks)} tracks"
    )
    assert repr(line) == f"<Timeline: {line}>"


def test_table(line):
    table = line.to_frame()
    assert list(table.columns) == ["kind", "track", "name", "start", "end", "duration", "frame", "frames"]
    assert table["start"].is_monotonic_increasing
    assert set(table["kind"]) == {"span", "part", "instant"}
    spans, parts = (table[table["kind"] == kind] for kind in ("span", "part"))
    own = spans[spans["track"] == "receiver processor 0"]
    inside = parts[parts["track"] == "receiver processor 0"]
    assert own["duration"].sum() == inside["duration"].sum() > 0
    assert ((table["end"] - table["start"]) * 1e12 - table["duration"]).abs().max() < 1  # seconds are rounded
    assert (table["frame"].isna() == (table["frames"] == 0)).all()
    assert table[table["track"] == "wire to receiver"]["end"].max() <= 0.003


def test_frames(line):
    table = line.frames()
    assert list(table.columns) == ["frame", "size", "port", "stage", "start", "end", "duration", "ended"]
    first = table[table["frame"] == 1]  # the process that waits for it runs at once
    assert list(first["stage"]) == ["send", "fetch", "wire", "receive FIFO", "receive", "protocol", "copy"]
    assert set(first["size"]) == {1518}
    assert set(first["ended"]) == {"taken"}
    # 8 + 1518 bytes at 100 Mbit/s, the propagation (25 ns) and the delay of both ends (243 ns)
    assert first[first["stage"] == "wire"]["duration"].item() == (8 + 1518) * 80_000 + 25_000 + 243_000


def test_from_later_on(line):
    later = ns.timeline(TCP, start="1 ms", duration=2 * MS)
    assert (later.since, later.until) == (MS, 3 * MS)
    assert [span for span in line.spans if span.start >= MS] == [span for span in later.spans if span.start > MS]


def test_picture(line):
    axes = line.plot(frames=2)
    assert axes.get_xlabel().endswith(" us (us)")
    lanes = [label.get_text() for label in axes.get_yticklabels()]
    assert lanes == [
        "sender processor 0", "sender nic 0 transmitter", "sender bus", "wire to receiver", "receiver nic 0 receiver",
        "receiver bus", "receiver processor 0",
    ]  # fmt: skip
    words = {word for text in axes.texts for word in text.get_text().split(", ")}
    assert {"protocol", "fetch", "wire", "card"} <= words
    assert {str(one.frame) for one in line.journeys if one.is_whole and str(one.frame) in words} != set()
    assert len({bar.get_facecolor() for bar in axes.patches}) == 2  # a colour for each frame
    assert {bar.get_hatch() for bar in axes.patches} == {None}


def test_a_narrow_picture_has_names_above_its_lanes(line):
    _, axes = pyplot.subplots(figsize=(4, 5))
    line.plot(1, ax=axes)
    assert not axes.get_yticklabels()
    assert " wire to receiver" in [text.get_text() for text in axes.texts]
    pyplot.close(axes.figure)


def test_a_picture_is_of_whole_journeys():
    """Not of frames with only their end within the time."""
    later = ns.timeline(TCP, start="1 ms", duration=2 * MS)
    axes = later.plot(frames=1)
    assert "sender processor 0" in [label.get_text() for label in axes.get_yticklabels()]
    assert "receiver processor 0" in [label.get_text() for label in axes.get_yticklabels()]
    pyplot.close(axes.figure)


def test_picture_in_given_axes(line):
    _, axes = pyplot.subplots()
    assert line.plot(slice(3, 5), ax=axes) is axes
    assert "frames 4, 5" in axes.get_title(loc="left")
    pyplot.close(axes.figure)


@pytest.mark.parametrize("frames", [0, -1, True, "3", slice(10_000, None)])
def test_no_such_frames(line, frames):
    with pytest.raises(ScenarioError, match="frames: "):
        line.plot(frames=frames)


@pytest.mark.parametrize("wrong", [{"duration": 0}, {"duration": "3 bytes"}, {"start": -1}, {"seed": -1}])
def test_wrong_arguments(wrong):
    with pytest.raises(ScenarioError, match=f"{next(iter(wrong))}: "):
        ns.timeline(TCP, **wrong)


def test_no_scenario():
    with pytest.raises(ScenarioError, match="is not a scenario"):
        ns.timeline("p166.toml")


ROUTER = ns.load(EXAMPLES / "router.toml")


def test_a_testers_frames_begin_and_end():
    """From one tester to the other, through the router."""
    line = ns.timeline(ROUTER, start="10 ms", duration="2 ms")
    under_way = [one.frame for one in line.journeys if not one.how]
    assert len(line.journeys) > 50
    assert under_way == [one.frame for one in line.journeys][-len(under_way) :]
    assert len(under_way) <= 3
    one = next(one for one in line.journeys if one.is_whole)
    assert [name for name, _, _ in one.stages()] == ["wire", "receive FIFO", "receive", "forwarding", "fetch", "wire"]
    axes = line.plot(1)
    assert axes.get_title(loc="left") == f"flows: frame {one.frame}"
    lanes = [label.get_text() for label in axes.get_yticklabels()]
    assert (lanes[0], lanes[-1]) == ("wire in to gateway", "wire out to right")
    pyplot.close(axes.figure)


def test_a_frame_that_the_watched_time_cuts_is_not_whole():
    first, *others = ns.timeline(ROUTER, start="10 ms", duration="2 ms").journeys
    assert (first.how, first.is_whole) == ("taken", False)
    assert others[0].is_whole


def test_frames_without_work_are_not_drawn():
    """Some wait in the socket for the whole time."""
    line = ns.timeline(TCP, start="10 ms", duration="100 us")
    worked = {frame for span in line.spans for frame in span.frames}
    idle = next(number for number, one in enumerate(line.journeys) if one.frame not in worked)
    axes = line.plot(1)
    assert axes.get_title(loc="left").split()[-1] in map(str, worked)
    pyplot.close(axes.figure)
    with pytest.raises(ScenarioError, match=r"^frames: no frame is selected; allowed: of the \d+ with work .*$"):
        line.plot(slice(idle, idle + 1))
    with pytest.raises(ScenarioError, match=r"^frames: no frame is selected; allowed: of the 0 with work .*$"):
        replace(line, spans=[]).plot()
