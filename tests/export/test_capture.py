"""Captures: the file and its times, its wires and frames; a failed one leaves nothing behind."""

from __future__ import annotations

import struct
from collections import Counter

import pytest

from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.export.pcap import Capture
from netsim.units import MS
from netsim.watch.watcher import Watcher
from netsim.watch.watching import Watching
from tests.captured import TCP, TOOLS, WINDOWS, captured, chariot, netperf, records, udp
from tests.in_networks import routed, through_a_tunnel

OPENING = 3  # segments of each TCP connection that are not simulated


class Told(Watcher):
    """Gets the same reports as a capture: last bit (ns), bytes without FCS and wire of each frame; frames lost."""

    def __init__(self):
        self.frames, self.lost = [], 0

    def carried(self, wire, frame, start, end, lost):
        self.frames.append((end // 1000, frame.size - 4, wire))
        self.lost += lost


class Waiting(Capture):
    """Records the largest number of frames that waited for their turn."""

    most = 0

    def carried(self, *told):
        super().carried(*told)
        self.most = max(self.most, len(self._coming))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "wire.pcap"


def sizes(path):
    return [(record.time, record.size) for record in records(path)]


# --- contents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
def test_each_frame_a_host_sends_is_there_once(tool, path):
    """At the time of its last bit, in order of time; a frame that a switch forwards is not repeated."""
    told, (test, until) = Told(), TOOLS[tool]
    run = captured(test, path, until, watchers=[told])
    there = [(time, size) for time, size, wire in told.frames if not wire.startswith("wire switch")]
    found = sizes(path)
    opened = OPENING * len(getattr(run, "pairs", [1])) if tool in TCP else 0
    assert Counter(there) <= Counter(found)
    assert len(found) == len(there) + opened > 50
    times = [time for time, _ in found]
    assert times == sorted(times)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_run_is_what_it_is_without(tool, path):
    """Event by event."""
    test, until = TOOLS[tool]
    with Capture(path) as capture:
        runs = [test.build(env) for env in (Environment(1), Watching(1, [capture]))]
        for run in runs:
            if tool.startswith("NP"):
                run.round_trip(10_000, lambda: None)
            else:
                run.start()
            run.env.run(until or 5 * MS)
    assert runs[0].env.events == runs[1].env.events
    assert runs[0].accounts() == runs[1].accounts()


def test_what_was_lost_on_the_way_is_there(path):
    told = Told()
    captured(udp().replace("link.bit_error_rate", 1e-5), path, 10 * MS, watchers=[told])
    assert told.lost > 3
    assert len(sizes(path)) == len(told.frames)


def test_wires_are_chosen_by_name(path):
    """Frames occur twice, on both sides of the switch, and are identical."""
    told, wires = Told(), ["wire client1 to switch", "wire switch to server 0", "wire switch to server 1"]
    captured(chariot(clients=[WINDOWS], flow="upload"), path, 5 * MS, wires, watchers=[told])
    there = sorted((time, size) for time, size, wire in told.frames if wire in wires)
    found = sizes(path)
    assert [one for one in found if one in set(there)] == there
    assert len(found) == len(there) + OPENING
    headers = Counter(record.data for record in records(path))
    assert sorted(headers.values()) == [1] * OPENING + [2] * (len(there) // 2)


@pytest.mark.parametrize(
    ("test", "first"),
    [
        (routed(), ("near to gateway", "far to gateway")),
        (routed("bridge"), ("near to gateway", "far to gateway")),
        (through_a_tunnel(), ("inside to east", "home to west", "line to east", "line to west")),
    ],
    ids=["router", "bridge", "tunnel"],
)
def test_forwarded_frames_are_not_repeated(test, first, path):
    """Each is there on the first wire on its way, and the packets that carry it through a tunnel on the tunnel's."""
    told, wires = Told(), {f"wire {name}" for name in first}
    run = captured(test, path, 5 * MS, watchers=[told])
    there = [one for one in told.frames if one[0] * 1000 < run.env.now]  # the flows go on to the end
    once = [(time, size) for time, size, wire in there if wire in wires]
    found = Counter(sizes(path))
    assert Counter(once) <= found
    assert found.total() == len(once) + 2 * OPENING > 50  # for the stream, and for the requests
    assert len(once) < len(there)


def test_a_wire_that_is_not_there_is_told(path):
    with pytest.raises(ScenarioError, match=r'^wires: no wire is called "wire to reciever" \(did you mean'):
        captured(netperf(), path, MS, ["wire to reciever"])
    assert not list(path.parent.iterdir())


def test_even_if_nothing_is_sent(path):
    with pytest.raises(ScenarioError, match=r"^wires: no wire is called"), Capture(path, ["wire"]) as capture:
        netperf().build(Watching(1, [capture]))
    assert not list(path.parent.iterdir())


def test_frames_may_be_cut(path):
    captured(udp(), path, 2 * MS)
    whole = list(records(path))
    captured(udp(), path, 2 * MS, snaplen=42)
    cut = list(records(path))
    assert [(record.time, record.size) for record in cut] == [(record.time, record.size) for record in whole]
    assert [record.data for record in cut] == [record.data[:42] for record in whole]
    assert path.read_bytes()[16:20] == struct.pack("<I", 42)


@pytest.mark.parametrize("with_data", [True, False])
def test_it_may_begin_later(path, with_data):
    """A reader of the file then sees a connection begin just before its first captured segment. If that has data, an
    acknowledgement precedes it; otherwise it is the acknowledgement itself."""

    class Late(Told):
        def built(self, part):
            capture.built(part)

        def carried(self, wire, frame, start, end, lost):
            if not first and start >= 4 * MS and (frame.length > 0) == with_data:
                first.append(end)
            if first and end >= first[0]:
                super().carried(wire, frame, start, end, lost)
                capture.carried(wire, frame, start, end, lost)

    first = []  # its end
    with Capture(path) as capture:
        late = Late()
        run = netperf().build(Watching(1, [late]))
        run.start()
        run.env.run(6 * MS)
    found = list(records(path))
    syn, answer = 0x02, 0x12
    flags, numbers = zip(*((one.data[47], int.from_bytes(one.data[38:42], "big")) for one in found), strict=True)
    assert flags[:2] == (syn, answer)
    assert not any(flag & syn for flag in flags[2:])
    opened = 4 if with_data else 3
    assert {numbers[0] + 1} == set(numbers[2:opened])
    assert [one.time for one in found[:opened]] == [late.frames[0][0]] * opened


# --- the file --------------------------------------------------------------------------------------------------------


def test_it_says_what_it_is(path):
    """libpcap: pcap-savefile(5): nanoseconds, version 2.4, Ethernet."""
    captured(netperf(), path, MS)
    assert struct.unpack("<IHHiIII", path.read_bytes()[:24]) == (0xA1B23C4D, 2, 4, 0, 0, 262144, 1)


def test_nothing_is_left_of_one_that_fails(path):
    """And an existing file is not lost."""
    path.write_bytes(b"before")

    def fail():
        with Capture(path, force=True) as capture:
            run = netperf().build(Watching(1, [capture]))
            run.start()
            run.env.run(2 * MS)
            assert len(list(path.parent.iterdir())) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == b"before"


def test_it_is_there_when_it_is_whole(path):
    with Capture(path) as capture:
        run = netperf().build(Watching(1, [capture]))
        run.start()
        run.env.run(2 * MS)
        assert not path.exists()
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert sizes(path)[-1][0] <= 2 * 10**6


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("nowhere/wire.pcap", {}, "^path: no folder .*nowhere"),
        (".", {}, "^path: .* is a folder; allowed: a file$"),
        ("wire.pcap", {"snaplen": 0}, "^snaplen: 0 is not allowed; allowed: 1 byte or more"),
    ],
)
def test_mistakes(tmp_path, name, changes, message):
    with pytest.raises(ScenarioError, match=message):
        Capture(tmp_path / name, **changes)


def test_few_frames_wait_for_their_turn(path):
    """However long a run is: only frames that cards have begun to send, or are about to."""
    most = []
    for until in (20 * MS, 60 * MS):
        with Waiting(path, snaplen=64) as capture:
            run = chariot(flow="upload").build(Watching(1, [capture]))
            run.start()
            run.env.run(until)
        most.append(capture.most)
    assert max(most) < 10
