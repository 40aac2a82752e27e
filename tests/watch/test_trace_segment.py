"""Watched shared media: every signal is reported with its sender, and every collision."""

from collections import Counter
from itertools import pairwise

import pytest

from benchmarks.shared_medium import Saturated
from netsim.accounts import Resource
from netsim.accounts.resource import SEGMENT
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.ethernet.rounds import Rounds
from netsim.watch.timeline import Recorder
from netsim.watch.watched_wire import WatchedContention, WatchedRounds
from netsim.watch.watching import EVERYTHING, Watching
from tests.watched import MS, in_use

CABLE, GIGABIT = SegmentSpec.from_name("10base2"), SegmentSpec.from_name("1000base-t-hub")


class Bursting(Saturated):
    """Sends short frames, several in a burst."""

    def _done(self, frame, sent):
        self._send(Frame(200, self.peer), self._again)


@pytest.mark.parametrize(("spec", "stations", "kind", "until"), [
    (CABLE, 50, WatchedRounds, 400 * MS), (CABLE, 50, WatchedContention, 400 * MS),
    (GIGABIT, 3, WatchedContention, 4 * MS),
])  # fmt: skip
def test_signals_and_collisions(spec, stations, kind, until, monkeypatch):
    monkeypatch.setitem(EVERYTHING, Rounds, kind)  # the class that computes a short contention
    recorder = Recorder()
    env = Watching(1, [recorder])
    segment = env.part(Segment)(env, spec, Resource("", SEGMENT))
    sender = Bursting if spec is GIGABIT else Saturated
    senders = [sender(segment.mac(f"{one}", 3.0 * one + 1)) for one in range(stations)]
    for number, one in enumerate(senders):
        segment.learn(number, one.mac)
        one.peer = (number + 1) % stations
        env.call_at(number, one.send)
    env.run(until)
    busy = segment.busy_until(until)
    assert isinstance(segment._contention, kind)
    signals = [(span.start, span.end) for span in recorder.spans]
    assert in_use(signals, spec.gap, until) == busy
    for mac in segment.macs:
        own = [span for span in recorder.spans if span.track == f"wire segment, {mac.name}"]
        assert all(before.end <= after.start for before, after in pairwise(own))
        names = Counter(span.name for span in own)
        assert names["collision"] == mac.collisions
        assert names["frame"] == sum(mac.sent)
    told = Counter(one.name for one in recorder.instants)
    assert told["collision"] == segment.collisions > 10
    assert told["excess collisions"] == segment.frames_lost
    assert segment.frames_lost or spec is GIGABIT
