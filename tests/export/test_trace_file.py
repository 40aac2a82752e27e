"""A Perfetto trace, read back: the file matches the run."""

import io
import sys
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

import netsim as ns
from netsim.errors import ScenarioError
from netsim.export.perfetto_trace import PerfettoTrace, perfetto_trace
from netsim.export.trace_packets import FIRST, field
from netsim.watch.activity import Activity
from netsim.watch.driving import look_at
from netsim.watch.timeline import Recorder
from netsim.watch.track import Track
from netsim.watch.watched_track import WatchedTrack
from tests import traces
from tests.watched import EXAMPLES, MS, duration, scenario

NAMES = ["tcp, bits lost", "udp, no room", "chariot, team, ipsec", "perform3, crowded"]


@pytest.fixture(scope="module", params=NAMES)
def told(request, tmp_path_factory):
    """A run, its reported events, and the tracks of its trace."""
    path, recorder = tmp_path_factory.mktemp("trace") / "run.pftrace", Recorder()
    with perfetto_trace(path) as trace:
        run = look_at(scenario(request.param), [recorder, trace], 0, duration(request.param), 1)
    recorder.finish(run.env.now)
    return run, recorder, traces.read(path)


def test_all_spans_are_there_and_nest(told):
    _, recorder, tracks = told
    spans = defaultdict(list)
    for span in recorder.spans:
        spans[span.track].append(span)
    for name, own in spans.items():
        outer = [one for one in tracks[name].slices if one.depth == 0]
        assert [(one.name, one.start, one.end) for one in outer] == [
            (span.name, span.start // 1000, span.end // 1000) for span in own
        ]
        assert [one.notes["ps"] for one in outer] == [[span.end - span.start] for span in own]
        assert [one.flows for one in outer] == [list(span.frames) for span in own]
        for before, after in pairwise(outer):
            assert before.end <= after.start
        assert max(one.depth for one in tracks[name].slices) <= 1


def test_busy_time_is_in_the_books(told):
    run, _, tracks = told
    accounts = run.accounts()
    for name, busy in accounts.busy.items():
        found = Counter()
        for one in tracks[name].slices:
            if one.depth:
                found[one.name] += one.notes["ps"][0]
        assert found == busy


def test_instants_are_in_the_books(told):
    run, _, tracks = told
    counts = Counter(f"{track.name}: {name}" for track in tracks.values() for name, _, _ in track.instants)
    for place, count in run.accounts().drops.items():
        where, what = place.split(": ")
        assert counts[f"{where}: {what}"] + counts[f"{where} drops: {what}"] == count


def test_frames_have_lanes_and_flows(told):
    _, recorder, tracks = told
    lanes = [track for track in tracks.values() if track.group == "frames"]
    slices = [one for lane in lanes for one in lane.slices]
    assert {one.notes["frame"][0] for one in slices if one.depth == 0} == {one.frame for one in recorder.journeys}
    under_way = _most_at_once([(j.stages()[0][1], j.stages()[-1][2]) for j in recorder.journeys])
    assert under_way <= len(lanes) <= 1.5 * under_way
    flows = defaultdict(list)
    for track in tracks.values():
        for one in track.slices:
            for flow in one.flows:
                assert flow in one.notes["frame"]
                flows[flow].append(one)
    for journey in recorder.journeys:
        if journey.how == "taken":
            start, end = journey.stages()[0][1] // 1000, journey.stages()[-1][2] // 1000
            own = flows[journey.frame]
            assert len(own) >= 3
            assert min(one.start for one in own) >= start
            assert max(one.start for one in own) <= end


def _most_at_once(spans):
    changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def test_counters(told):
    _, recorder, tracks = told
    for name in {track for track, _, _ in recorder.counts}:
        values = [(time // 1000, value) for track, value, time in recorder.counts if track == name]
        assert tracks[name].values == values
        assert min(value for _, value in values) >= 0


def test_a_window_is_a_piece_of_the_whole(tmp_path):
    test = ns.load(EXAMPLES / "p166.toml")
    whole, piece = Recorder(), Recorder()
    look_at(test, [whole], 0, 6 * MS, 1)
    look_at(test, [piece], 2 * MS, 6 * MS, 1)
    piece.finish(6 * MS)
    cut = [
        (span.track, span.name, max(span.start, 2 * MS), span.end) for span in whole.spans if span.end > 2 * MS
    ]  # fmt: skip
    assert sorted(cut) == sorted((span.track, span.name, span.start, span.end) for span in piece.spans)
    assert min(start for one in piece.journeys for _, start, _ in one.stages()) == 2 * MS


class Counting:
    """A file that records its largest single write."""

    def __init__(self):
        self.most = self.bytes = 0

    def write(self, data):
        self.most = max(self.most, len(data))
        self.bytes += len(data)


def test_buffers_are_bounded():
    """Memory does not grow with the run: packets, frames in flight, lanes, names."""
    held = []
    for until in (20 * MS, 60 * MS):
        file = Counting()
        trace = PerfettoTrace(file)
        run = look_at(ns.load(EXAMPLES / "p166.toml"), [trace], 0, until, 1)
        held.append((len(trace._lanes), len(trace._tracks), len(trace._packets._names), len(trace._packets._notes)))
        assert len(run.env.teller.journeys) < 2 * 65_536 / 1448  # two windows' segments
        trace.finish()
        assert file.most < 300_000
    assert file.bytes > 3 * file.most
    assert all(later <= 1.5 * earlier for earlier, later in zip(*held, strict=True))


def test_traces_do_not_mix_up_what_they_know():
    files = [io.BytesIO() for _ in range(3)]
    alone, *both = [PerfettoTrace(file) for file in files]
    for observers in ([alone], both):
        look_at(scenario("tcp"), observers, 0, MS, 1)
        for one in observers:
            one.finish()
    assert files[0].getvalue() == files[1].getvalue() == files[2].getvalue() != b""


def _interrupt(trace):
    trace.spent(WatchedTrack(Track("pc", "a")), Activity("b"), 0, 1000)
    raise KeyboardInterrupt


def test_no_file_after_an_error(tmp_path):
    path = tmp_path / "run.pftrace"
    path.write_text("what was there")
    with pytest.raises(KeyboardInterrupt), perfetto_trace(path, force=True) as trace:
        _interrupt(trace)
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("wrong", "said"), [
    ({"duration": 0}, "duration: "),
    ({"start": "-1 ms"}, "start: "),
    ({"seed": 1.5}, "seed: 1.5 is not allowed"),
    ({"start": "59 s", "duration": "2 s"}, "61 s is after the end of the test, which lasts 60 s"),
    ({"start": "59.999 s", "duration": "5 ms"}, "60.004 s is after the end of the test, which lasts 60 s"),
    ({"perfetto": "/no/such/folder/run"}, 'perfetto: no folder "/no/such/folder"'),
    ({"perfetto": "/"}, 'perfetto: "/" is a folder'),
])  # fmt: skip
def test_wrong_arguments(tmp_path, wrong, said):
    with pytest.raises(ScenarioError) as error:
        ns.trace(ns.load(EXAMPLES / "p166.toml"), **{"perfetto": tmp_path / "run"} | wrong)
    assert said in str(error.value)
    assert not list(tmp_path.iterdir())


def test_bytes_are_those_that_protobuf_writes(tmp_path):
    """Fields in the order of their numbers, each known, and every number as short as possible."""
    test = ns.load(EXAMPLES / "p166.toml")
    ns.trace(test, perfetto=tmp_path / "run", duration="20 ms")
    written = (tmp_path / "run").read_bytes()
    assert Trace.FromString(written).SerializeToString() == written


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, (1 << 14) - 1, 1 << 14, (1 << 62) + 5, -1])
def test_whole_numbers_are_varints(number):
    packet = TracePacket(track_event=TrackEvent(counter_value=number))
    assert field(11, field(30, number)) == packet.SerializeToString()


def test_needs_no_other_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "perfetto", None)
    monkeypatch.setitem(sys.modules, "google", None)
    ns.trace(ns.load(EXAMPLES / "p166.toml"), perfetto=tmp_path / "run")
    assert (tmp_path / "run").read_bytes().startswith(FIRST)
