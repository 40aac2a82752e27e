"""Exact times of Ethernet (IEEE 802.3): framing, minimum frame, gap, at 10, 100 and 1000 Mbit/s."""

import pytest

from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.ethernet.frame_sizes import frame_size, wire_size

RATES = {"10 Mbit/s": 100_000, "100 Mbit/s": 10_000, "1 Gbit/s": 1_000}  # ps of one bit


def link(rate, **more):
    return LinkSpec(rate=rate, propagation=more.pop("propagation", "0 s"), **more)


class Station:
    """Notes what arrives."""

    def __init__(self, env, lead=0):
        self.env, self.lead, self.log, self.frames_arrived = env, lead, [], 0

    def receive_lead(self, size):
        return self.lead

    def put(self, frame):
        self.frames_arrived += 1
        self.log.append((self.env.now, frame))


@pytest.mark.parametrize(("payload", "size"), [(0, 64), (1, 64), (46, 64), (47, 65), (1500, 1518), (9000, 9018)])
def test_frame_size_is_padded_to_64_bytes(payload, size):
    assert frame_size(payload) == size


def test_wire_size_has_preamble_and_gap():
    assert wire_size(64) == 84
    assert wire_size(1518) == 1538


@pytest.mark.parametrize(("rate", "bit"), RATES.items())
def test_times_are_exact(rate, bit):
    spec = link(rate)
    assert spec.time(1) == 8 * bit
    assert spec.frame_time(64) == 672 * bit
    assert spec.frame_time(1518) == 12_304 * bit
    assert spec.time(12) == 96 * bit  # the gap (4.4.2)


def test_fast_ethernet_carries_148809_minimum_frames_a_second():
    assert 10**12 // link("100 Mbit/s").frame_time(64) == 148_809


@pytest.mark.parametrize(("rate", "bit"), RATES.items())
def test_frames_follow_each_other_at_the_gap(rate, bit):
    env = Environment()
    wire, station = Link(env, link(rate), "wire"), Station(env)
    wire.attach(station)
    ends = [wire.put(Frame(64), 0) for _ in range(3)]
    assert ends == [576 * bit, (576 + 672) * bit, (576 + 2 * 672) * bit]
    env.run()
    assert [now for now, _ in station.log] == ends
    assert wire.busy_until(2 * 672 * bit) == 2 * 672 * bit
    assert wire.busy_until(10**12) == 3 * 672 * bit


def test_propagation_and_lead_move_the_arrival():
    env = Environment()
    wire, station = Link(env, link("100 Mbit/s", propagation="5 ns"), "wire"), Station(env, lead=1000)
    wire.attach(station)
    end = wire.put(Frame(1518), 7)
    assert end == 7 + (8 + 1518) * 80_000
    assert (wire.frames, wire.in_flight) == (1, 1)
    env.run()
    assert station.log[0][0] == end + 5000 - 1000
    assert (wire.frames, wire.in_flight) == (1, 0)


def test_a_lost_frame_takes_its_time_and_does_not_arrive():
    env = Environment()
    wire, station = Link(env, link("100 Mbit/s"), "wire"), Station(env)
    wire.attach(station)
    wire.lost = lambda frame: frame.size == 64
    wire.put(Frame(64), 0)
    wire.put(Frame(65), 0)
    env.run()
    assert [frame.size for _, frame in station.log] == [65]
    assert (wire.frames, wire.frames_lost, wire.bytes) == (2, 1, 129)
    assert wire.free == (84 + 85) * 80_000


def test_bit_errors_lose_the_share_that_the_frame_check_finds():
    env = Environment(seed=2)
    wire = Link(env, link("1 Gbit/s", bit_error_rate=1e-5), "wire")
    wire.attach(Station(env))
    for _ in range(20_000):
        wire.put(Frame(1518), 0)
    expected = 1 - (1 - 1e-5) ** (8 * 1518)
    assert wire.frames_lost / wire.frames == pytest.approx(expected, abs=0.01)
