"""Exact times of half-duplex Ethernet (IEEE 802.3 clause 4): deferral, gap, collision, backoff, bursts, layouts."""

from collections import Counter

import pytest

from netsim.engine import Environment
from netsim.errors import ScenarioError, SimulationError
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.ethernet.backoff import Backoff
from netsim.ethernet.deference import NEVER, Signal, earliest_start
from tests.own_parts import ToldBackoff

RATES = {"10 Mbit/s": 100_000, "100 Mbit/s": 10_000, "1 Gbit/s": 1_000}  # ps of one bit
every_rate = pytest.mark.parametrize(("rate", "bit"), RATES.items())


class Station:
    """Sends its frames one after another, each when the previous one is done; notes what arrives. `backoff` are the
    slot times that it waits, one by one."""

    def __init__(self, net, name, position, backoff=(), lead=0):
        self.net, self.name, self.lead = net, name, lead
        self.mac = net.segment.mac(name, position)
        self.mac.attach(self)
        net.segment.learn(name, self.mac)
        if backoff:
            self.mac.backoff = ToldBackoff(net.env, backoff)
        self.frames, self.sent, self.given_up, self.arrived = [], [], [], []
        self.frames_arrived = 0

    def receive_lead(self, size):
        return self.lead

    def put(self, frame):
        self.frames_arrived += 1
        self.arrived.append(self.net.env.now)

    def send(self, at, to, *sizes):
        self.net.env.call_at(at, self._begin, [Frame(size, to) for size in sizes])

    def _begin(self, frames):
        self.frames += frames
        self._next()

    def _next(self):
        if self.frames:
            self.mac.put(self.frames.pop(0), self._done)

    def _done(self, frame, sent):
        assert not sent or frame.last_bit == self.net.env.now
        (self.sent if sent else self.given_up).append(self.net.env.now)
        self._next()


class Net:
    """A segment on which a metre takes the time of one bit, so positions are in bits."""

    def __init__(self, rate="10 Mbit/s", **more):
        self.env = Environment(seed=more.pop("seed", 0))
        self.bit = RATES[rate]
        self.segment = Segment(self.env, SegmentSpec(rate=rate, delay=f"{self.bit} ps", **more), "segment")

    def station(self, name, position, **more):
        return Station(self, name, position, **more)

    def run(self, until=None):
        """Run until a time in bits."""
        self.env.run(None if until is None else until * self.bit)

    def bits(self, times):
        return [time / self.bit for time in times]


# ---- times ----


@every_rate
def test_parameters(rate, bit):
    spec = SegmentSpec(rate=rate, delay="5 ns")
    gigabit = rate == "1 Gbit/s"
    assert spec.bit == bit
    assert spec.slot_time == (4096 if gigabit else 512) * bit
    assert spec.gap == 96 * bit
    assert spec.gap_part_1 == 64 * bit
    assert spec.jam_time == 32 * bit
    assert spec.preamble_time == 64 * bit
    assert spec.burst_time == (65_536 * bit if gigabit else 0)
    assert spec.frame_time(64) == (64 + (4096 if gigabit else 512) + 96) * bit
    assert spec.frame_time(1518) == 12_304 * bit
    assert spec.max_frame == 1518


def test_a_gap_at_10_mbit_is_9600_ns():
    assert SegmentSpec(rate="10 Mbit/s", delay="5 ns").gap == 9_600_000


@pytest.mark.parametrize(
    ("heard", "bits"),
    [(0, 96), (1, 96), (63.5, 96), (64, 96), (64.001, 97), (65, 97), (100, 132), (100.5, 133), (511.9, 544)],
)
def test_a_fragment_is_whole_bits_its_preamble_and_a_jam(heard, bits):
    spec = SegmentSpec(rate="10 Mbit/s", delay="5 ns")
    assert spec.fragment_time(round(heard * 100_000)) == bits * 100_000


# ---- one after another ----


@every_rate
def test_a_lone_frame_leaves_at_once(rate, bit):
    net = Net(rate, bursting=False)
    a, b = net.station("a", 0), net.station("b", 17)
    a.send(1000, "b", 600)
    net.run()
    assert a.sent == [1000 + 4864 * bit]
    assert b.arrived == [1000 + (4864 + 17) * bit]
    assert (net.segment.collisions, net.segment.deferrals, net.segment.attempts) == (0, 0, {1: 1})
    assert net.segment.busy_until(net.env.now + 10**9) == (4864 + 96) * bit


def test_frames_of_one_station_follow_each_other_at_the_gap():
    net = Net()
    a, _ = net.station("a", 0), net.station("b", 17)
    a.send(0, "b", 64, 64, 1518)
    net.run()
    assert net.bits(a.sent) == [576, 576 + 672, 2 * 672 + 12_208]
    assert net.segment.deferrals == 2


@pytest.mark.parametrize("ready", [18, 100, 592])
def test_a_station_that_hears_carrier_waits_for_the_gap_behind_it(ready):
    """Carrier is present from 17 to 593."""
    net = Net()
    a, b = net.station("a", 0), net.station("b", 17)
    a.send(0, "b", 64)
    b.send(ready * net.bit, "a", 64)
    net.run()
    assert net.bits(a.arrived) == [593 + 96 + 576 + 17]
    assert (net.segment.collisions, net.segment.deferrals) == (0, 1)


def test_a_frame_that_is_ready_as_carrier_comes_collides_and_one_moment_later_waits():
    for later, collisions in ((0, 1), (1, 0)):
        net = Net()
        a, b = net.station("a", 0), net.station("b", 17)
        a.send(0, "b", 64)
        b.send(17 * net.bit + later, "a", 64)
        net.run()
        assert net.segment.collisions == collisions


@every_rate
@pytest.mark.parametrize(("first", "second", "collisions"), [(1, 1, 2), (0, 0, 2), (1, 0, 1), (0, 1, 1)])
def test_equal_backoff_behind_a_third_frame_collides_and_unequal_does_not(rate, bit, first, second, collisions):
    """Their gaps end when the third frame's tail has reached them, as far apart as they hear each other."""
    net = Net(rate, bursting=False)
    a, b = net.station("a", 0, backoff=[first, 0]), net.station("b", 17, backoff=[second, 5])
    a.send(0, "b", 200, 64)
    b.send(600 * bit, "a", 64)
    net.run()
    assert net.segment.collisions == collisions
    assert (len(a.sent), len(b.sent)) == (2, 1)


def test_a_hub_adds_both_cables_and_its_own_delay():
    net = Net(hub={"delay": "2 us"})
    a, b = net.station("a", 30), net.station("b", 12)
    a.send(0, "b", 64)
    net.run()
    assert net.bits(b.arrived) == [576 + 30 + 20 + 12]


# ---- the gap in two parts ----


def three():
    """Stations at the same place."""
    segment = Net().segment
    macs = [segment.mac(name, 0) for name in ("me", "one", "other")]
    for mac in macs:
        mac.distance = [0, 0, 0]
    return macs


MACS = three()
ME = MACS[0]


def signals(*others):
    """Signals of other stations as they are heard: start, end and station."""
    found = []
    for start, end, index in others:
        signal = Signal(MACS[index], start, end)
        signal.settled = True
        found.append(signal)
    return found


@pytest.mark.parametrize(
    ("comes", "start"),
    [(1000, 1596), (1001, 1597), (1063, 1659), (1064, 1096), (1095, 1096), (1096, 1096), (1097, 1096)],
)
def test_carrier_starts_the_gap_anew_in_its_first_part_only(comes, start):
    """Another station's carrier ends at 1000, and more of it comes for 500 bits: in the first 64 bits the gap starts
    again, in the other 32 it continues, and a waiting station starts at its end."""
    heard = signals((0, 1000, 1), (comes, comes + 500, 2))
    for ready in (10, 1000, 1096):
        assert earliest_start(heard, ME, ready, 96, 64) == start


@pytest.mark.parametrize("comes", [1001, 1063, 1064, 1096])
def test_nothing_starts_the_gap_anew_behind_ones_own_sending(comes):
    """Even if another station's signal had outlasted it."""
    assert earliest_start(signals((0, 1000, 0), (comes, comes + 500, 2)), ME, 1000, 96, 64) == 1096
    assert earliest_start(signals((0, 900, 0), (500, 1000, 1), (comes, comes + 500, 2)), ME, 900, 96, 64) == 1096


@pytest.mark.parametrize(("ready", "start"), [(1096, 1096), (1097, 1666), (1666, 1666), (1700, 1700)])
def test_who_comes_too_late_for_the_gap_defers_to_what_was_ignored_in_it(ready, start):
    assert earliest_start(signals((0, 1000, 1), (1070, 1570, 2)), ME, ready, 96, 64) == start


@pytest.mark.parametrize(("ready", "start"), [(1050, 1096), (1100, 1100), (1101, NEVER), (1200, NEVER)])
def test_nobody_can_say_when_carrier_ends_that_is_not_settled(ready, start):
    heard = signals((0, 1000, 1), (1100, 1600, 2))
    heard[1].settled = False
    assert earliest_start(heard, ME, ready, 96, 64) == start


# ---- collisions ----


@pytest.mark.parametrize(("distance", "fragment"), [(10, 96), (64, 96), (100, 132), (100.5, 133), (240, 272)])
def test_both_finish_preamble_and_bit_and_jam_and_try_again(distance, fragment):
    """They start together. One waits no slot, only for the gap after the other's fragment; the other waits two slots
    from the end of its own jam, and for the gap after the first one's frame if that is later."""
    net = Net()
    a, b = net.station("a", 0, backoff=[0]), net.station("b", distance, backoff=[2])
    a.send(0, "b", 64)
    b.send(0, "a", 64)
    net.run()
    again = fragment + distance + 96
    first = again + 576 + distance
    second = max(fragment + 2 * 512, first + 96) + 576 + distance
    assert net.bits(b.arrived) == [first]
    assert net.bits(a.arrived) == [second]
    assert (a.mac.collisions, b.mac.collisions, net.segment.collisions) == (1, 1, 1)
    assert net.segment.attempts == {2: 2}
    assert net.segment.deferrals == 0  # a frame that has collided is not counted there (30.3.1.1.9)


def test_the_second_one_is_heard_later_and_sends_less():
    """One starts 30 bits after the other, 40 bits away: it hears the first after 10, and stops after 96; the first one
    hears it at 70 and stops at 102."""
    net = Net()
    a, b = net.station("a", 0, backoff=[2]), net.station("b", 40, backoff=[4])
    a.send(0, "b", 64)
    b.send(30 * net.bit, "a", 64)
    net.run()
    assert net.bits(b.arrived) == [102 + 2 * 512 + 576 + 40]
    assert net.bits(a.arrived) == [126 + 4 * 512 + 576 + 40]


def test_backoff_runs_while_others_send():
    """Its two slots end inside the other's long frame, and it starts after the gap that follows."""
    net = Net()
    a, b = net.station("a", 0, backoff=[0]), net.station("b", 10, backoff=[2])
    a.send(0, "b", 1518)
    b.send(0, "a", 64)
    net.run()
    first = 96 + 10 + 96 + 12_208 + 10
    assert net.bits(b.arrived) == [first]
    assert net.bits(a.arrived) == [first + 96 + 576 + 10]


def test_the_16th_collision_is_the_last_one():
    """Neither ever waits: each attempt is a fragment, the propagation of the other's, and a gap."""
    net = Net()
    stations = [net.station("a", 0, backoff=[0] * 15), net.station("b", 10, backoff=[0] * 15)]
    for one, other in zip(stations, "ba", strict=True):
        one.send(0, other, 64)
    net.run(3126)
    assert (net.segment.frames_lost, net.segment.in_flight) == (0, 2)
    net.run()
    assert [net.bits(one.given_up) for one in stations] == [[15 * 202 + 96]] * 2
    assert [one.mac.collisions for one in stations] == [16, 16]
    assert (net.segment.collisions, net.segment.drops, net.segment.attempts) == (16, {"excess collisions": 2}, {})


@pytest.mark.parametrize(
    ("position", "ready", "given_up", "first"),
    [
        (5, 3, 96, 96 + 5 + 96 + 576 + 5),  # starts at once, and is heard in the preamble
        (150, 100, 322, 322 + 150 + 96 + 576 + 150),  # starts at 140, when a gap ends there, and is heard at 290
    ],
)
def test_a_last_attempt_may_meet_a_frame_that_comes_while_it_is_under_way(position, ready, given_up, first):
    """One station is alone with its 16th attempt when another gets a frame, and starts before it hears that attempt.
    The cable is long, so it takes long until a success would be certain. (Bits from the start of the attempt.)"""
    net = Net()
    start = 15 * 202
    a, b = net.station("a", 0, backoff=[0] * 15), net.station("b", 10, backoff=[0] * 14 + [50])
    c, _ = net.station("c", position, backoff=[0]), net.station("d", 240)
    a.send(0, "b", 64)
    b.send(0, "a", 64)
    c.send((start + ready) * net.bit, "a", 64)
    net.run()
    assert net.bits(a.given_up) == [start + given_up]
    assert net.bits(a.arrived)[0] == start + first
    assert [mac.collisions for mac in net.segment.macs] == [16, 15, 1, 0]


def test_after_a_frame_given_up_the_next_one_starts_afresh():
    net = Net()
    a, b = net.station("a", 0, backoff=[0] * 15 + [0]), net.station("b", 10, backoff=[0] * 15 + [1])
    a.send(0, "b", 64, 64)
    b.send(0, "a", 64, 64)
    net.run()
    again = 15 * 202 + 96 + 10 + 96  # both have the next frame at the end of the jam
    assert net.bits(b.arrived) == [again + 96 + 10 + 96 + 576 + 10]
    assert net.segment.attempts == {2: 2}


@pytest.mark.parametrize("attempts", range(1, 16))
def test_backoff_is_0_to_2_to_the_k_less_1_slots(attempts):
    """k = min(attempts, 10), each number equally likely (4.2.3.2.5)."""
    backoff = Backoff(Environment(seed=5), "station")
    highest = 2 ** min(attempts, 10) - 1
    draws = 40 * (highest + 1)
    counts = Counter(backoff.slots(attempts) for _ in range(draws))
    assert set(counts) == set(range(highest + 1))
    chi_square = sum((count - 40) ** 2 / 40 for count in counts.values())
    assert chi_square < highest + 5 * (2 * highest) ** 0.5 + 10


def test_backoffs_are_drawn_from_the_stations_own_stream_one_for_each():
    env = Environment(seed=3)
    backoff, stream = Backoff(env, "a"), env.stream("a")
    assert [backoff.slots(15) for _ in range(200)] == [int(stream.integers(0, 1024)) for _ in range(200)]


# ---- 1000 Mbit/s ----


@pytest.mark.parametrize(("size", "bits"), [(64, 64 + 4096), (511, 64 + 4096), (512, 64 + 4096), (513, 64 + 4104)])
def test_short_frames_are_extended_to_the_slot(size, bits):
    net = Net("1 Gbit/s", bursting=False)
    a, b = net.station("a", 0), net.station("b", 100)
    a.send(0, "b", size, size)
    net.run()
    assert net.bits(a.sent) == [bits, 2 * bits + 96]
    assert net.bits(b.arrived) == [bits + 100, 2 * bits + 96 + 100]


def test_a_collision_in_the_extension_costs_the_frame():
    """The other station starts just before it hears the first one, 1500 bits away: this is known after 3000 bits, long
    after the 64 bytes have left. The gap begins after the other's fragment."""
    net = Net("1 Gbit/s", bursting=False)
    a, b = net.station("a", 0, backoff=[0]), net.station("b", 1500, backoff=[2])
    a.send(0, "b", 64)
    b.send(1500 * net.bit - 1, "a", 64)
    net.run()
    assert net.segment.collisions == 1
    assert b.arrived == [(1500 + 96 + 1500 + 96 + 4160 + 1500) * net.bit - 1]
    assert net.segment.attempts == {2: 2}


def test_only_the_first_frame_of_a_burst_is_extended():
    """The gaps are filled, and a frame that follows is not extended: carrier ends with the third, and after the gap
    that follows the next station may start."""
    net = Net("1 Gbit/s")
    a, b = net.station("a", 0), net.station("b", 100)
    a.send(0, "b", 64, 64, 64)
    b.send(2000 * net.bit, "a", 64)
    net.run()
    assert net.bits(a.sent) == [4160, 4160 + 672, 4160 + 2 * 672]
    assert net.bits(a.arrived) == [4160 + 2 * 672 + 96 + 100 + 96 + 4160 + 100]
    assert net.segment.collisions == 0


@pytest.mark.parametrize(("late", "last"), [(1, True), (95, True), (96, False), (200, False)])
def test_a_frame_that_comes_in_the_gap_belongs_to_the_burst(late, last):
    """In that case it is not extended; otherwise it waits for another gap."""
    net = Net("1 Gbit/s")
    a, _ = net.station("a", 0), net.station("b", 100)
    a.send(0, "b", 64)
    a.send((4160 + late) * net.bit, "b", 64)
    net.run()
    start = 4160 + 96 if last else max(4160 + late, 4160 + 96 + 96)
    assert net.bits(a.sent) == [4160, start + 576 if last else start + 4160]


def test_no_frame_begins_in_a_burst_behind_its_limit():
    """The fifth ends at 61,424 bits, so a sixth follows, which ends at 73,728 and is the last. Then others have a
    chance."""
    net = Net("1 Gbit/s")
    a, b = net.station("a", 0, backoff=[1]), net.station("b", 100, backoff=[0])
    a.send(0, "b", *[1518] * 7)
    b.send(5000 * net.bit, "a", 1518)
    net.run()
    sixth = 6 * 12_304 - 96
    assert net.bits(a.sent)[:6] == [number * 12_304 - 96 for number in range(1, 7)]
    assert net.segment.collisions == 1  # the seventh and the other's first, both after the gap
    assert net.bits(a.arrived)[0] < net.bits(a.sent)[6]
    assert net.bits(a.sent)[6] > sixth + 96 + 12_208


@pytest.mark.parametrize(
    ("sizes", "late", "follows"),
    [
        ([1518] * 5 + [493], 0, 65_528 + 96 + 576),  # ends 8 bits before the limit: the next one may begin
        ([1518] * 5 + [493], 7, 65_528 + 96 + 576),
        ([1518] * 5 + [493], 8, 65_528 + 96 + 96 + 4160),  # the limit has come: after the filled gap another one
        ([1518] * 5 + [494], 0, 65_536 + 96 + 4160),  # ends at the limit: no gap is filled
        ([8184], 0, 65_536 + 96 + 4160),
    ],
)
def test_the_burst_limit_to_the_bit(sizes, late, follows):
    net = Net("1 Gbit/s")
    a, _ = net.station("a", 0), net.station("b", 100)
    if late:
        a.send(0, "b", *sizes)
        a.send((65_528 + late) * net.bit, "b", 64)
    else:
        a.send(0, "b", *sizes, 64)
    net.run()
    assert net.bits(a.sent)[-1] == follows


def test_without_bursts_others_have_a_chance_after_each_frame():
    net = Net("1 Gbit/s", bursting=False)
    a, b = net.station("a", 0, backoff=[1]), net.station("b", 100, backoff=[0])
    a.send(0, "b", 1518, 1518)
    b.send(5000 * net.bit, "a", 1518)
    net.run()
    assert net.segment.collisions == 1
    assert a.arrived[0] < a.sent[1]


@pytest.mark.parametrize("rate", ["10 Mbit/s", "100 Mbit/s"])
def test_there_are_no_bursts_at_lower_rates(rate):
    net = Net(rate)
    a, _ = net.station("a", 0), net.station("b", 100)
    a.send(0, "b", 64, 64)
    net.run()
    assert net.segment.busy_until(net.env.now + 10**9) == 2 * 672 * net.bit


# ---- layouts ----


@every_rate
def test_a_collision_must_be_known_within_the_slot_time(rate, bit):
    """Propagation in both directions, and a jam (4.2.3.2.3)."""
    farthest = (4096 - 32 if rate == "1 Gbit/s" else 512 - 32) // 2
    Net(rate).station("a", 0)
    net = Net(rate)
    net.station("a", 10), net.station("b", 10 + farthest)
    with pytest.raises(ScenarioError) as wrong:
        net.station("c", 11 + farthest)
    assert wrong.value.address == "c"
    assert "to a and back; allowed:" in str(wrong.value)
    assert [mac.name for mac in net.segment.macs] == ["a", "b"]


def test_the_message_says_how_much_is_allowed():
    spec = SegmentSpec(rate="10 Mbit/s", delay="5 ns")
    spec.check_layout({"a": 0, "b": 4800})
    with pytest.raises(ScenarioError) as wrong:
        spec.check_layout({"a": 0, "b": 4801, "c": 100})
    text = "b: 48.01 us to a and back; allowed: 48 us or less (the slot time less the jam)"
    assert str(wrong.value) == text


def test_with_a_hub_the_two_longest_cables_count():
    spec = SegmentSpec(rate="100 Mbit/s", delay="5 ns", hub={"delay": "1 us"})
    spec.check_layout({"a": 200, "b": 80, "c": 80})
    with pytest.raises(ScenarioError):
        spec.check_layout({"a": 200, "b": 80, "c": 81})
    spec.check_layout({"a": 280})


@pytest.mark.parametrize("position", [-1, float("inf"), float("nan")])
def test_a_position_is_a_number_of_metres(position):
    with pytest.raises(ScenarioError, match="allowed: a number of metres, 0 or more"):
        Net().station("a", position)


@pytest.mark.parametrize("rate", ["1 Mbit/s", "10 Gbit/s"])
def test_other_rates_have_no_slot_time(rate):
    with pytest.raises(ScenarioError, match=r"rate: .* allowed: 10 Mbit/s, 100 Mbit/s, 1 Gbit/s"):
        SegmentSpec(rate=rate, delay="5 ns")


@pytest.mark.parametrize(
    ("name", "stations", "position"),
    [("10base2", 30, 185 / 29), ("10base-t-hub", 60, 100), ("100base-tx-hub", 60, 100), ("1000base-t-hub", 8, 100)],
)
def test_what_the_standards_allow_is_allowed(name, stations, position):
    spec = SegmentSpec.from_name(name)
    positions = {f"{one}": position if spec.hub else one * position for one in range(stations)}
    spec.check_layout(positions)


# ---- what a station can rely on ----


@pytest.mark.parametrize(("lead", "called"), [(0, 576 + 17), (100, 576 + 17 - 100), (576, 17 + 96)])
def test_a_station_is_called_ahead_but_not_before_the_frame_is_sure_to_come(lead, called):
    """It is sure when all have heard it, and a gap has passed."""
    net = Net()
    a, b = net.station("a", 0), net.station("b", 17, lead=lead * 100_000)
    a.send(0, "b", 64)
    net.run()
    assert net.bits(b.arrived) == [called]


def test_only_the_addressed_station_is_called():
    net = Net()
    a, b, c = (net.station(name, 10 * number) for number, name in enumerate("abc"))
    a.send(0, "c", 64, 64)
    b.send(10**9, "c", 64)
    net.run()
    assert [one.frames_arrived for one in (a, b, c)] == [0, 0, 3]
    assert (net.segment.frames, net.segment.bytes, net.segment.frames_arrived) == (3, 192, 3)


@pytest.mark.parametrize(("address", "whose"), [("z", "no station has"), ("a", "a itself has")])
def test_a_frame_must_be_for_somebody_else(address, whose):
    net = Net()
    a, _ = net.station("a", 0), net.station("b", 10)
    a.send(0, address, 64)
    with pytest.raises(SimulationError, match=f"segment: {whose} address '{address}'"):
        net.run()


def test_one_frame_at_a_time():
    net = Net()
    a, _ = net.station("a", 0), net.station("b", 10)
    a.send(0, "b", 64)
    a.send(1, "b", 64)
    with pytest.raises(SimulationError, match="a is given a frame while it sends another one"):
        net.run()


def test_a_frame_has_the_least_size_at_least():
    net = Net()
    a, _ = net.station("a", 0), net.station("b", 10)
    a.send(0, "b", 63)
    with pytest.raises(SimulationError, match="63 bytes; allowed: 64"):
        net.run()


def test_somebody_must_be_attached():
    net = Net()
    a, lonely = net.station("a", 0), net.segment.mac("b", 10)
    net.segment.learn("b", lonely)
    a.send(0, "b", 64)
    with pytest.raises(SimulationError, match="nothing is attached to b"):
        net.run()


def test_all_are_there_before_the_first_frame_with_names_of_their_own():
    net = Net()
    a, _ = net.station("a", 0), net.station("b", 10)
    with pytest.raises(ScenarioError, match="b: segment has a station of that name"):
        net.segment.mac("b", 20)
    a.send(0, "b", 64)
    net.run()
    with pytest.raises(SimulationError, match="c is connected after the first frame"):
        net.segment.mac("c", 20)
