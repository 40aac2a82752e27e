"""Properties of a shared medium, whatever is sent: nothing is lost, no station is shut out, and no more is carried than
framing allows."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from itertools import pairwise, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.ethernet import Frame, Segment, SegmentSpec
from tests.own_parts import ToldBackoff

MS = 10**9  # ps
S = 1000 * MS


class Station:
    """Always has a frame to send to the next station, of the given sizes in turn; notes the order of successful
    frames."""

    def __init__(self, net: Saturated, number: int, position: float) -> None:
        self.net, self.number = net, number
        self.mac = net.segment.mac(f"{number}", position)
        self.mac.attach(self)
        net.segment.learn(number, self.mac)
        self.frames_arrived = self.sent = 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.frames_arrived += 1

    def send(self, _: object = None) -> None:
        sizes = self.net.sizes
        self.mac.put(Frame(sizes[self.sent % len(sizes)], (self.number + 1) % self.net.count), self.done)

    def done(self, frame: Frame, sent: bool) -> None:
        self.sent += sent
        if sent and self.net.keep:
            self.net.order.append((self.net.env.now, self.number))
        self.send()


class Saturated:
    """`count` stations on one cable, `apart` metres between neighbours, or around a hub, each at the end of `apart`
    metres."""

    def __init__(
        self, count: int, sizes: Sequence[int] = (1024,), rate: str = "10 Mbit/s", apart: float = 5, seed: int = 1,
        keep: bool = False, hub: bool = False,
    ) -> None:
        self.env, self.count, self.sizes, self.keep = Environment(seed=seed), count, sizes, keep
        spec = SegmentSpec(rate=rate, delay="5 ns", hub={"delay": "500 ns"} if hub else None)
        self.segment = Segment(self.env, spec, "segment")
        self.order: list[tuple[int, int]] = []
        self.stations = [Station(self, one, apart if hub else apart * one) for one in range(count)]
        for station in self.stations:
            self.env.call_at(station.number, station.send)

    def run(self, until: int) -> Saturated:
        self.env.run(until)
        return self

    @property
    def utilisation(self) -> float:
        """The share of time that frames and their gaps take."""
        spec = self.segment.spec
        total = sum(spec.frame_time(self.sizes[0]) * station.sent for station in self.stations)
        return total / self.env.now

    @property
    def fairness(self) -> float:
        """Jain's index: 1 if all get the same, 1 / n if one gets everything."""
        shares = [station.sent for station in self.stations]
        return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))


@given(
    count=st.integers(2, 12),
    sizes=st.lists(st.integers(64, 1518), min_size=1, max_size=4),
    rate=st.sampled_from(["10 Mbit/s", "100 Mbit/s", "1 Gbit/s"]),
    apart=st.integers(0, 36),  # m: at 1 Gbit/s 12 stations hear each other in time
    hub=st.booleans(),
    looks=st.lists(st.integers(1, 20 * MS), min_size=1, max_size=6, unique=True).map(sorted),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_frames_in_are_frames_out_lost_or_under_way(
    count: int, sizes: list[int], rate: str, apart: int, hub: bool, looks: list[int], seed: int
) -> None:
    """At every moment; the medium is in use at most for the whole time, and at least for the time of its frames."""
    net = Saturated(count, sizes, rate, apart, seed, hub=hub)
    segment, before = net.segment, 0
    for look in looks:
        net.run(look)
        assert segment.frames == segment.frames_arrived + segment.frames_lost + segment.in_flight
        assert segment.frames_lost == segment.drops["excess collisions"]
        assert segment.frames - segment.in_flight <= sum(segment.attempts.values()) + segment.frames_lost
        busy = segment.busy_until(look)
        least = sum(station.sent for station in net.stations) * segment.spec.time(8 + 64)
        assert max(before, least) <= busy <= look
        before = busy


@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.parametrize("size", [64, 1518])
def test_nobody_keeps_the_medium_for_ever(size: int, hub: bool) -> None:
    """Of two stations that always want to send, the last sender does not win every time. Runs are long (the capture
    effect): the winner draws from two slots, the other from ever more, up to its 16th collision; then they are even."""
    net = Saturated(2, [size], keep=True, hub=hub).run(15 * S)
    spec, order = net.segment.spec, [number for _, number in net.order]
    runs, length = [], 1
    for one, other in pairwise(order):
        if one != other:
            runs.append(length)
        length = length + 1 if one == other else 1
    assert len(runs) > 40
    assert min(order.count(0), order.count(1)) > 0.25 * len(order)
    slots = sum(2 ** min(attempts, 10) - 1 for attempts in range(1, 16))  # at most, until the 16th
    assert max(runs) < 3 * slots * spec.slot_time / spec.frame_time(size)
    assert net.segment.frames_lost > 10


@pytest.mark.parametrize(("count", "seconds"), [(2, 60), (5, 60), (20, 30), (60, 20)])
def test_in_the_long_run_all_get_the_same(count: int, seconds: int) -> None:
    assert Saturated(count).run(seconds * S).fairness > 0.97


def test_more_stations_give_up_more_frames() -> None:
    nets = [Saturated(count).run(4 * S).segment for count in (2, 20, 60, 200)]
    shares = [net.frames_lost / net.frames for net in nets]
    assert shares == sorted(shares)
    assert shares[0] < 0.01 < 0.3 < shares[-1] < 0.7
    assert all(net.frames_arrived > 1000 for net in nets)


@pytest.mark.parametrize("size", [64, 1024])
def test_utilisation_falls_with_the_number_of_stations(size: int) -> None:
    found = [Saturated(count, [size]).run(2 * S).utilisation for count in (2, 10, 40, 120)]
    assert found == sorted(found, reverse=True)
    assert found[0] <= 1


def test_utilisation_falls_with_distance() -> None:
    """The greater the distance, the longer the fragments, and the later a gap has reached all stations."""
    found = [Saturated(10, [64], apart=apart).run(2 * S).utilisation for apart in (10, 130, 530)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("rate", ["10 Mbit/s", "100 Mbit/s", "1 Gbit/s"])
@pytest.mark.parametrize("size", [64, 1518])
def test_it_never_beats_framing(rate: str, size: int) -> None:
    """Frames are never closer together than a gap; at 1000 Mbit/s frames after the first of a burst have no
    extension."""
    net = Saturated(3, [size], rate, keep=True).run(20 * MS)
    spec = net.segment.spec
    ends = [end for end, _ in net.order]
    least = spec.gap + spec.sending_time(size, first=False)
    assert min(later - end for end, later in pairwise(ends)) >= least
    assert len(ends) * least <= net.env.now


def test_a_burst_is_worth_its_while() -> None:
    alone = [Saturated(2, [64], "1 Gbit/s", seed=seed).run(20 * MS) for seed in range(3)]
    for net in alone:
        assert net.utilisation > 2  # relative to what extended frames could reach


def test_the_same_seed_gives_the_same_run() -> None:
    def order(seed: int) -> list[tuple[int, int]]:
        return Saturated(20, [64, 700, 1518], seed=seed, keep=True).run(S).order

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_reading_the_books_changes_nothing() -> None:
    quiet, watched = (Saturated(8, [64, 1518], apart=300, keep=True) for _ in range(2))
    quiet.run(300 * MS)
    for at in range(1, 3001):
        watched.run(at * MS // 10)
        watched.segment.busy_until(watched.env.now)
    assert quiet.order == watched.order


def test_a_long_backoff_leaves_no_trail() -> None:
    """During one station's long wait, each frame of another station moves the medium's next check to an earlier time,
    and then back; this must not leave entries behind."""
    net = Saturated(2, [64])
    patient, other = net.stations
    patient.mac.backoff = ToldBackoff(net.env, repeat(1000))
    other.mac.backoff = ToldBackoff(net.env, repeat(0))
    other.send = lambda _=None: net.env.call_in(100 * 10**6, lambda _: Station.send(other))
    for at in range(1, 51):
        net.run(at * MS)
        assert len(net.env.calendar) <= 4
    assert other.sent > 200
    assert patient.sent == 0


@pytest.mark.parametrize(("count", "rate", "apart"), [(40, "10 Mbit/s", 5), (8, "10 Mbit/s", 600), (6, "1 Gbit/s", 60)])
def test_memory_does_not_grow_with_time(count: int, rate: str, apart: float) -> None:
    net = Saturated(count, rate=rate, apart=apart)
    part = S if rate == "10 Mbit/s" else 20 * MS

    def sizes() -> dict[str, int]:
        medium = net.segment._contention
        values = {name: getattr(medium, name) for name in dir(medium) if not name.startswith("__")}
        lists = {name: len(value) for name, value in values.items() if isinstance(value, list | dict)}
        return lists | {"events": len(net.env.calendar), "looks": len(net.segment._replaced)}

    net.run(part)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    highest = sizes()
    for step in range(11, 41):
        net.run(part * step // 10)
        highest = {name: max(highest[name], size) for name, size in sizes().items()}
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert net.segment.frames_arrived > 1000
    assert highest.pop("events") <= 10 + count
    assert highest.pop("_waiting") <= count + 1
    assert all(highest.pop(name, 0) <= count for name in ("_open", "_sure", "_fragments"))
    assert all(size <= count * 4 for size in highest.values()), highest
    assert grown < 60_000 + 3000 * count  # stored draws of the stations
