"""Segments compared with a plain simulation of the standard's procedures: the same frames at the same picosecond, the
same collisions, and the same use of the medium."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.ethernet.contention import Contention
from netsim.ethernet.rounds import Rounds
from tests.ethernet_reference import Reference, Sent

RATES = {"10 Mbit/s": 100_000, "100 Mbit/s": 10_000, "1 Gbit/s": 1_000}  # ps of one bit
METRE = 5000  # ps


@dataclass
class Case:
    """A segment, and an ordered list of frames for each station: earliest time (ps), size, addressee. A frame is handed
    over at its time, or when the previous one is done."""

    rate: str
    hub: int | None  # ps
    bursting: bool
    places: list[int]  # ps
    frames: list[list[tuple[int, int, int]]]
    seed: int

    @property
    def slot(self) -> int:
        return RATES[self.rate] * (4096 if self.rate == "1 Gbit/s" else 512)


class Net:
    """The case on a Segment."""

    def __init__(self, case: Case) -> None:
        self.env = Environment(seed=case.seed)
        hub = None if case.hub is None else {"delay": f"{case.hub} ps"}
        spec = SegmentSpec(rate=case.rate, delay=f"{METRE} ps", hub=hub, bursting=case.bursting)
        self.segment = Segment(self.env, spec, "segment")
        self.log: list[tuple[int, int, int, str]] = []
        self.frames = [list(reversed(numbered)) for numbered in _numbered(case)]
        self.numbers: dict[Frame, int] = {}
        for number, place in enumerate(case.places):
            mac = self.segment.mac(f"{number}", place / METRE)
            mac.attach(Sink(self, number))
            self.segment.learn(number, mac)
        for number in range(len(case.places)):
            self.next(number)

    def next(self, station: int) -> None:
        """Hand over the station's next frame, now or at its time."""
        if self.frames[station]:
            self.env.call_at(max(self.env.now, self.frames[station][-1][0]), self.send, station)

    def send(self, station: int) -> None:
        _, sent = self.frames[station].pop()
        frame = Frame(sent.size, sent.target)
        self.numbers[frame] = sent.number
        self.segment.macs[station].put(frame, lambda one, got: self.done(station, one, got))

    def done(self, station: int, frame: Frame, sent: bool) -> None:
        assert not sent or frame.last_bit == self.env.now
        self.log.append((self.env.now, self.numbers[frame], station, "sent" if sent else "given up"))
        if self.frames[station] and self.frames[station][-1][0] <= self.env.now:
            self.send(station)
        else:
            self.next(station)


class Sink:
    """A station that notes what arrives."""

    def __init__(self, net: Net, number: int) -> None:
        self.net, self.number, self.frames_arrived = net, number, 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.frames_arrived += 1
        self.net.log.append((self.net.env.now, self.net.numbers[frame], self.number, "arrived"))


def _numbered(case: Case) -> list[list[tuple[int, Sent]]]:
    number, lists = 0, []
    for frames in case.frames:
        lists.append([])
        for at, size, target in frames:
            lists[-1].append((at, Sent(number, size, target)))
            number += 1
    return lists


def reference(case: Case, until: int) -> Reference:
    """The case by the rules of the standard."""
    env = Environment(seed=case.seed)
    hub = case.hub
    distances = [
        [max(1, abs(one - other) if hub is None else one + hub + other) for other in case.places] for one in case.places
    ]
    streams = [env.stream(f"segment {number}") for number in range(len(case.places))]
    gigabit = case.rate == "1 Gbit/s"
    model = Reference(RATES[case.rate], case.slot, distances, streams, gigabit, gigabit and case.bursting)
    rest = [list(reversed(frames)) for frames in _numbered(case)]

    def again(node: int, now: int, sent: bool) -> Sent | None:
        if not rest[node]:
            return None
        at, frame = rest[node].pop()
        if at <= now:
            return frame
        model.hand_over(at, node, frame)
        return None

    model.again = again
    for node, frames in enumerate(rest):
        if frames:
            at, frame = frames.pop()
            model.hand_over(at, node, frame)
    model.run(until)
    return model


def rounds(model: Reference) -> int:
    """The number of collisions, each counted once for all signals in it: it counts when a signal starts and meets
    others, none of which has met one before."""
    known: set[int] = set()
    count = 0
    signals = sorted(model.signals)
    for number, (start, _, node) in enumerate(signals):
        met = {
            earlier
            for earlier, (_, end, other) in enumerate(signals[:number])
            if other != node and end + model.distances[node][other] > start
        }
        count += bool(met) and not met & known
        known |= met | ({number} if met else set())
    return count


def in_use(model: Reference, gap: int, until: int) -> int:
    """ps up to `until` in which a station sent, or at most a gap had passed since then."""
    total = to = 0
    for start, end, _ in sorted(model.signals):
        last = min(end + gap, until)
        total += max(0, last - max(start, to))
        to = max(to, last)
    return total


def agree(case: Case, looks: int = 0) -> tuple[Net, Reference]:
    net = Net(case)
    random_times = random.Random(case.seed)
    used = {}
    for look in sorted(random_times.randrange(10**9) for _ in range(looks)):
        net.env.run(until=look)
        used[look] = net.segment.busy_until(look)
        assert net.segment.frames == net.segment.frames_arrived + net.segment.frames_lost + net.segment.in_flight
    net.env.run()
    end = net.env.now + 1
    model = reference(case, end + case.slot)
    assert sorted(net.log) == sorted(model.log)
    segment = net.segment
    assert [mac.collisions for mac in segment.macs] == [
        sum(node == one for _, _, one in model.collided) for node in range(len(case.places))
    ]
    assert segment.collisions == rounds(model)
    assert segment.deferrals == len(model.deferrals)
    later = end + case.slot * 10
    net.env.run(until=later)
    used[later] = segment.busy_until(later)
    assert used == {look: in_use(model, segment.spec.gap, look) for look in used}
    given_up = sum(kind == "given up" for *_, kind in model.log)
    assert (segment.frames_lost, segment.in_flight) == (given_up, 0)
    assert sum(segment.attempts.values()) == segment.frames_arrived == segment.frames - given_up
    return net, model


def random_case(seed: int, stations: tuple[int, int] = (2, 8), frames: int = 6) -> Case:
    """Any allowed case, often with equal distances and times, and often with the largest distances."""
    draw = random.Random(seed)
    rate = draw.choice(list(RATES))
    bit = RATES[rate]
    count = draw.randint(*stations)
    limit = (4064 if rate == "1 Gbit/s" else 480) * bit // 2
    hub = draw.choice([None, 0, draw.randrange(limit // 2), limit // 4])
    span = draw.choice([limit, draw.randrange(1, limit), 10 * bit])
    if hub is not None:
        span = min(span, limit - hub) // 2
    step = draw.choice([1, 1, bit, span // 4 or 1, span])
    places = [draw.randrange(0, span + 1) // step * step for _ in range(count)]
    window = draw.choice([0, bit * 100, bit * 1000, bit * 100_000])
    grid = draw.choice([1, bit, 8 * bit, 96 * bit])
    sizes = draw.choice([[64], [64, 65, 1518], list(range(64, 1519)), [1024]])
    lists = []
    for station in range(count):
        times = sorted(draw.randrange(window + 1) // grid * grid for _ in range(draw.randint(0, frames)))
        others = [other for other in range(count) if other != station]
        lists.append([(at, draw.choice(sizes), draw.choice(others)) for at in times])
    return Case(rate, hub, draw.random() < 0.7, places, lists, seed)


def saturated(seed: int, stations: tuple[int, int] = (2, 9), frames: int = 20) -> Case:
    """The same, but nearly all stations always have frames to send."""
    case, draw = random_case(seed, stations, 1), random.Random(seed + 1)
    count = len(case.places)
    for station in range(count):
        times = sorted(0 if draw.random() < 0.9 else draw.randrange(10**9) for _ in range(frames))
        case.frames[station] = [(at, draw.choice([64, 64, 200, 1518]), (station + 1) % count) for at in times]
    return case


def nearly_long(seed: int, beyond: int) -> Case:
    """A signal takes half a preamble to reach the farthest station, or `beyond` ps more."""
    case, draw = saturated(seed, frames=8), random.Random(seed + 2)
    case.rate, case.bursting = draw.choice(list(RATES)), False
    bit = RATES[case.rate]
    span = 32 * bit + beyond
    case.hub = draw.choice([None, 0, 7 * bit])
    if case.hub is None:
        farthest, step = span, draw.choice([1, bit, span])
        ends = [0, span]
    else:
        farthest, step = (span - case.hub) // 2, draw.choice([1, bit])
        ends = [farthest, span - case.hub - farthest]
    inside = [draw.randrange(farthest + 1) // step * step for _ in case.places[2:]]
    case.places = draw.sample(ends + inside, len(case.places))
    return case


class Loaded:
    """A random stream that keeps only some of the lowest bits of its numbers, so that stations collide repeatedly."""

    def __init__(self, stream: np.random.Generator, mask: int) -> None:
        self.stream, self.mask = stream, mask

    def integers(self, low: int, high: int, size: int | None = None) -> Any:
        return self.stream.integers(low, high, size) & self.mask


@pytest.mark.parametrize("block", range(4))
def test_it_is_the_reference(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        agree(random_case(seed), looks=seed % 3)


@pytest.mark.parametrize("block", range(4))
def test_it_is_the_reference_where_all_want_to_send(block: int) -> None:
    for seed in range(block * 12, block * 12 + 12):
        agree(saturated(seed))


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_reference_with_many_stations(seed: int) -> None:
    net, _ = agree(saturated(seed, stations=(30, 40), frames=2))
    assert net.segment.frames > 60


@pytest.mark.parametrize(("mask", "frames"), [(0, 4), (1, 5), (3, 8), (7, 14)])
def test_it_is_the_reference_when_frames_are_given_up(mask: int, frames: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if many bits are in transit at once, and no station has time to wait for an outcome: layouts of the maximum
    length, with backoffs of 0."""
    real = Environment.stream
    monkeypatch.setattr(Environment, "stream", lambda env, name: Loaded(real(env, name), mask))
    lost = sum(agree(saturated(seed, frames=frames))[0].segment.frames_lost for seed in range(mask, mask + 16))
    assert lost > 20


@pytest.mark.parametrize(("mask", "rate"), [(0, "1 Gbit/s"), (1, "1 Gbit/s"), (0, "100 Mbit/s")])
def test_it_is_the_reference_where_attempts_follow_each_other_at_once(
    mask: int, rate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a cable of the maximum length a station makes many attempts before the first one's success would be certain;
    others get frames meanwhile."""
    real = Environment.stream
    monkeypatch.setattr(Environment, "stream", lambda env, name: Loaded(real(env, name), mask))
    bit, lost = RATES[rate], 0
    for seed in range(40):
        draw = random.Random(seed)
        limit, count = (2032 if rate == "1 Gbit/s" else 240) * bit, draw.randint(4, 9)
        places = [draw.randrange(limit + 1) for _ in range(count)]
        frames = []
        for station in range(count):
            window = 0 if station < 3 else 6000 * bit
            times = sorted(draw.randrange(window + 1) for _ in range(2 if station < 3 else 4))
            frames.append([(at, 64, (station + 1) % count) for at in times])
        net, _ = agree(Case(rate, None, False, places, frames, seed))
        lost += net.segment.frames_lost
    assert lost > 20


@pytest.mark.parametrize(("beyond", "kind"), [(-1, Rounds), (0, Rounds), (1, Contention)])
@pytest.mark.parametrize("mask", [1, 1023])
def test_it_is_the_reference_where_a_medium_is_just_short_enough(
    beyond: int, kind: type, mask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short enough to be computed round by round, or just too long for that; also with frames that are given up."""
    real = Environment.stream
    monkeypatch.setattr(Environment, "stream", lambda env, name: Loaded(real(env, name), mask))
    lost = 0
    for seed in range(12):
        net, _ = agree(nearly_long(seed, beyond), looks=seed % 4)
        assert isinstance(net.segment._contention, kind)
        lost += net.segment.frames_lost
    assert lost > 20 or mask > 1


@pytest.mark.parametrize("seed", range(12))
def test_a_short_medium_is_the_same_signal_by_signal(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "part", lambda env, kind: Contention if kind is Rounds else kind)
    net, _ = agree(nearly_long(seed, -seed), looks=seed % 4)
    assert isinstance(net.segment._contention, Contention)


@given(st.integers(0, 2**40))
@settings(max_examples=60, deadline=None)
def test_it_is_the_reference_whatever_the_case(seed: int) -> None:
    agree(random_case(seed))


def test_the_cases_have_it_all() -> None:
    """Ensures that the comparisons above cover every feature."""
    seen: Counter[str] = Counter()
    for seed in range(60):
        case = random_case(seed)
        net, _ = agree(case)
        seen[case.rate] += net.segment.collisions
        seen["hub" if case.hub is not None else "cable"] += net.segment.collisions
        seen["bursts"] += case.bursting and case.rate == "1 Gbit/s"
        seen["deferrals"] += net.segment.deferrals
        seen["many attempts"] += max(net.segment.attempts, default=0) > 8
    assert all(seen[what] > 2 for what in [*RATES, "hub", "cable", "bursts", "deferrals", "many attempts"]), seen
