"""Policies of interrupt moderation, checked against the arithmetic of the drivers that use them."""

from __future__ import annotations

import pytest

from netsim.errors import ScenarioError
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.interrupt_policy_spec import (
    DimPolicy,
    E1000ePolicy,
    FixedIntervalPolicy,
    I40ePolicy,
    IgbPolicy,
    IxgbeClassPolicy,
    IxgbePolicy,
)
from netsim.machine.policy_dim import DimRule, compare
from netsim.machine.policy_e1000e import BULK, LOW, LOWEST, E1000eRule, class_of
from netsim.machine.policy_i40e import I40eRule, size_itr
from netsim.machine.policy_igb import IgbRule, igb_class, ring_itr
from netsim.machine.policy_ixgbe import IxgbeClassRule, IxgbeRule, by_size, next_itr
from netsim.units import MS, US

NOTHING = (0, 0)
LATENCY = 0x80  # ixgbe's flag


def test_a_fixed_interval_never_changes() -> None:
    rule = FixedIntervalPolicy(interval="30 us", frames=5).rule(10**10, MS)
    rule.handled((1000, 10**6), (1000, 10**6), MS)
    assert (rule.interval, rule.frames) == (30 * US, 5)


# ---- e1000e ----


@pytest.mark.parametrize(
    ("old", "packets", "nbytes", "new"),
    [
        (LOWEST, 1, 9000, BULK),  # one of more than 8000 bytes: jumbo frames or TSO
        (LOWEST, 4, 600, LOW),
        (LOWEST, 4, 512, LOWEST),
        (LOWEST, 5, 600, LOWEST),
        (LOW, 2, 18000, BULK),
        (LOW, 9, 10800, BULK),  # fewer than ten
        (LOW, 20, 24020, BULK),  # with more than 1200 bytes each
        (LOW, 36, 12000, LOWEST),
        (LOW, 35, 12000, LOW),
        (LOW, 3, 6003, BULK),
        (LOW, 2, 511, LOWEST),
        (LOW, 2, 512, LOW),
        (BULK, 36, 25001, LOW),
        (BULK, 35, 25001, BULK),
        (BULK, 4, 5999, LOW),
        (BULK, 4, 6000, BULK),
        (BULK, 0, 0, BULK),
    ],
)
def test_classes_of_e1000e(old: int, packets: int, nbytes: int, new: int) -> None:
    assert class_of(old, packets, nbytes) == new


def test_the_rate_of_e1000e_falls_at_once_and_rises_by_quarters() -> None:
    rule = E1000eRule(1000, 3)
    assert rule.interval == 50 * US
    for _ in range(2):  # from its initial class to the next, and one more
        rule.handled((20, 30000), NOTHING, 0)
    assert rule.interval == 250 * US  # 4,000 interrupts per second
    rates = []
    for _ in range(5):
        rule.handled((40, 30000), NOTHING, 0)
        rates.append(10**12 // rule.interval)
    assert rates == [9000, 14000, 19000, 20000, 20000]


def test_only_mode_1_of_e1000e_has_the_lowest_latency() -> None:
    intervals = []
    for mode in (1, 3):
        rule = E1000ePolicy(mode=mode).rule(10**9, MS)
        for _ in range(5):
            rule.handled((1, 64), NOTHING, 0)
        intervals.append(rule.interval)
    assert intervals == [10**12 // 70_000, 50 * US]
    assert [E1000ePolicy(mode=mode).least(10**9) for mode in (1, 3)] == [10**12 // 70_000, 50 * US]


@pytest.mark.parametrize(("policy", "interval"), [(E1000ePolicy(mode=1), 250 * US), (IgbPolicy(mode=1), 245 * US)])
def test_below_a_gigabit_the_rate_is_that_of_bulk(policy: E1000ePolicy | IgbPolicy, interval: int) -> None:
    """However few packets there are; at a gigabit these get the lowest latency."""
    for rate, least in ((10**8, interval), (10**9, policy.least(10**9))):
        rule = policy.rule(rate, MS)
        for _ in range(5):
            rule.handled((1, 64), NOTHING, 0)
            rule.handled(NOTHING, (1, 64), 0)
        assert rule.interval >= policy.least(rate) == least
        assert (rule.interval == interval) == (rate < 10**9)


def test_the_busier_direction_decides_in_e1000e() -> None:
    rule = E1000eRule(1000, 1)
    rule.handled((1, 64), (4, 40000), 0)
    assert rule.interval == 250 * US


# ---- ixgbe ----


@pytest.mark.parametrize(
    ("each", "per_second"),  # from the comments of ixgbe_update_itr, at 10 Gbit/s
    [(60, 50_000), (316, 16_000), (1084, 9_200), (1967, 8_000), (9000, 8_000)],
)
def test_bulk_rates_of_ixgbe(each: int, per_second: int) -> None:
    assert 10**6 / by_size(each, False, 10_000) == pytest.approx(per_second, rel=0.05)


def test_low_latency_doubles_the_rate_of_ixgbe() -> None:
    assert [by_size(each, True, 10_000) for each in (60, 1514)] == [10, 60]
    assert by_size(1514, False, 1_000) == 126  # slower links use the longest interval


@pytest.mark.parametrize(
    ("packets", "size", "now", "new"),
    [
        (3, 60, 50, LATENCY + 10),
        (3, 9000, 50, 52),  # 27000 bytes in total, not few
        (4, 60, 50, 52),
        (47, 60, 125, 126),
        (48, 60, 50, 50),
        (95, 60, 50, 50),
        (96, 60, 50, 25),
        (255, 60, 12, 10),
        (256, 60, 126, 20),
    ],
)
def test_steps_of_ixgbe(packets: int, size: int, now: int, new: int) -> None:
    assert next_itr(now, packets, packets * size, 10_000) == new


def test_ixgbe_takes_what_comes_seldom_for_latency() -> None:
    rule = IxgbeRule(10_000, MS)
    rule.handled((60, 3600), NOTHING, 0)
    assert rule.interval == 50 * US  # just right
    rule.handled((60, 3600), NOTHING, 10 * MS)
    assert rule.interval == 10 * US


def test_ixgbe_settles_between_48_and_96_packets_an_interrupt() -> None:
    """With a packet every 1.5 us it aims at some tens at a time, and reaches that after a while."""
    rule, now = IxgbeRule(10_000, MS), 0
    for _ in range(100):
        packets = rule.interval // 1_500_000
        now += rule.interval
        rule.handled((packets, 60 * packets), NOTHING, now)
    assert 48 <= rule.interval // 1_500_000 < 96


def test_a_jiffy_is_the_kernels() -> None:
    """With jiffies of 4 ms, 6 ms are at most the next one; with jiffies of 1 ms they are long ago."""
    for jiffy, interval in ((MS, 10 * US), (4 * MS, 50 * US)):
        rule = IxgbePolicy().rule(10**10, jiffy)
        rule.handled((60, 3600), NOTHING, 0)
        rule.handled((60, 3600), NOTHING, 6 * MS)
        assert rule.interval == interval


def test_bulk_of_the_older_ixgbe_ends_at_122_us() -> None:
    """From 50 us on it moves by a tenth of the distance at a time, in quarters of a microsecond, rounded down: on the
    way to 500 it stops at 490, of which the register holds 488."""
    rule = IxgbeClassPolicy().rule(10**10, MS)
    assert rule.interval == 50 * US
    seen = set()
    for _ in range(200):
        rule.handled(NOTHING, (491, 491 * 60), 0)
        seen.add(rule.interval)
    assert rule.interval == max(seen) == 122 * US


@pytest.mark.parametrize(("per_us", "end"), [(5, 10), (15, 50), (100, 122)])
def test_classes_of_the_older_ixgbe(per_us: int, end: int) -> None:
    rule = IxgbeClassRule()
    for _ in range(300):
        rule.handled((50, per_us * rule.interval // US), NOTHING, 0)
    assert rule.interval // US == pytest.approx(end, abs=2)


# ---- DIM ----


@pytest.mark.parametrize(
    ("now", "before", "found"),
    [
        ((100, 10, 5), (0, 0, 0), 2),
        ((111, 10, 5), (100, 10, 5), 2),
        ((110, 10, 5), (100, 10, 5), 1),  # 10 % is not more than 10 %
        ((89, 99, 1), (100, 10, 5), 0),  # bytes before packets
        ((100, 8, 1), (100, 10, 5), 0),  # packets before interrupts
        ((100, 10, 4), (100, 10, 5), 2),  # fewer interrupts are better
        ((100, 10, 6), (100, 10, 5), 0),
    ],
)
def test_how_dim_compares(now: tuple[int, int, int], before: tuple[int, int, int], found: int) -> None:
    assert compare(now, before) == found


def _drive(rule: InterruptPolicy, per_us: int, samples: int, now: int = 0) -> list[int]:
    """From `now` on packets arrive at one rate, and interrupts by the policy's interval; returns the interval after
    each sample."""
    found = []
    for _ in range(samples):
        for _ in range(65):
            now += rule.interval
            packets = max(1, per_us * rule.interval // US)
            rule.handled((packets, 1500 * packets), NOTHING, now)
        found.append(rule.interval // US)
    return found


def test_dim_goes_where_interrupts_are_fewest_at_a_constant_load() -> None:
    """It first goes left of its start, finds that worse, and goes right to the end."""
    found = _drive(DimPolicy().rule(10**11, MS), 10, 12)
    assert found[:6] == [2, 8, 16, 32, 64, 64]
    assert set(found[6:]) == {64}


def test_dim_is_parked_until_something_changes() -> None:
    rule = DimRule([(2, 256), (8, 128), (16, 64), (32, 64), (64, 64)], 1)
    _drive(rule, 10, 12)
    assert rule.profile == 4
    _drive(rule, 1, 1, 1000 * MS)  # a tenth of the load
    assert rule.profile == 3


def test_a_profile_that_dim_has_not_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"start: 5 is not allowed; allowed: 0 to 4"):
        DimPolicy(start=5)


# ---- i40e ----


@pytest.mark.parametrize("size", [64, 128, 256, 380, 512, 1000, 1084, 1518, 1980])
def test_i40e_goes_by_size_as_its_formula_says(size: int) -> None:
    """The source explains its numbers: (170 x (size + 24)) / (size + 640) us at 10 Gbit/s, up to steps."""
    wanted = 170 * (size + 24) / (size + 640)
    assert size_itr(size, False, 10_000) == pytest.approx(wanted, abs=9)
    assert size_itr(size, True, 10_000) == pytest.approx(wanted / 2, abs=6)


@pytest.mark.parametrize(("rate", "interval"), [(40_000, 4), (25_000, 8), (20_000, 8), (10_000, 16), (1_000, 128)])
def test_intervals_of_i40e_scale_with_the_rate(rate: int, interval: int) -> None:
    """For the shortest packets: 4096 / 256 us at 10 Gbit/s, which is 62,500 interrupts per second."""
    assert size_itr(60, False, rate) == interval


def test_i40e_keeps_56_to_112_packets() -> None:
    rule = I40eRule(40_000, MS)
    for packets in (56, 112):
        rule.handled((packets, 100 * packets), NOTHING, 0)
        assert rule.interval == 50 * US


def test_i40e_halves_what_brings_more_and_then_ignores_three_interrupts() -> None:
    """The next interrupt changes the setting for sent packets, and restarts that count."""
    rule, found = I40eRule(40_000, MS), []
    for _ in range(7):
        rule.handled((200, 20_000), NOTHING, 0)
        found.append(rule.interval // US)
    assert found == [25, 25, 25, 25, 25, 12, 12]


def test_i40e_grows_by_two_microseconds() -> None:
    rule, found = I40eRule(40_000, MS), set()
    for _ in range(300):
        rule.handled((30, 3000), (30, 3000), 0)
        found.add(rule.interval // US)
    assert found == {*range(52, 127, 2)}


def test_more_than_256_packets_are_taken_by_their_size() -> None:
    rule = I40eRule(40_000, MS)
    rule.handled((300, 300 * 60), NOTHING, 0)
    assert rule.interval == 4 * US


def test_few_packets_are_a_matter_of_latency_unless_sending_is_not() -> None:
    """Sending is in the latency class once its packets are rare; received ones then get half their size's interval."""
    rule = I40eRule(10_000, MS)
    for _ in range(2):  # both directions are long ago: 126 us, which with its flag has grown further, and 2 us
        rule.handled((1, 60), NOTHING, 5 * MS)
    assert rule.interval == 2 * US
    for _ in range(12):
        rule.handled((1, 1500), NOTHING, 5 * MS)
    assert rule.interval == size_itr(1500, True, 10_000) * US == 60 * US
    busy = I40eRule(10_000, MS)
    for _ in range(12):
        busy.handled((1, 1500), (40, 60_000), 0)  # more than 32 packets sent
    assert busy.interval > 50 * US


def test_i40e_begins_anew_after_a_jiffy() -> None:
    for jiffy, interval in ((MS, 2), (10 * MS, 50)):
        rule = I40ePolicy().rule(40 * 10**9, jiffy)
        for _ in range(2):
            rule.handled((60, 6000), NOTHING, 5 * MS)
        assert rule.interval == interval * US
    assert I40ePolicy().least(10**10) == 2 * US


# ---- igb ----


@pytest.mark.parametrize(
    ("received", "sent", "value"),
    [
        ((10, 600), NOTHING, 42),  # (60 + 24) / 2
        ((10, 15140), NOTHING, 769),
        ((10, 6000), NOTHING, 208),  # (600 + 24) / 3
        ((10, 600), (1, 15000), 1500),  # the larger size; no more than 3000 bytes
        ((1, 276), NOTHING, 150),  # 300 bytes are not in the middle yet
        ((1, 277), NOTHING, 100),
        (NOTHING, NOTHING, 0),
    ],
)
def test_igb_goes_by_size(received: tuple[int, int], sent: tuple[int, int], value: int) -> None:
    assert ring_itr(received, sent) == value


def test_the_register_of_igb_has_whole_microseconds() -> None:
    rule = IgbRule(1000, 1, 4)
    assert rule.interval == 162 * US  # 648
    rule.handled((10, 15140), NOTHING, 0)
    assert rule.interval == 192 * US  # 769
    rule.handled(NOTHING, NOTHING, 0)
    assert rule.interval == 192 * US  # nothing was done
    rule.handled((10, 600), NOTHING, 0)
    assert rule.interval == 10 * US  # 42


@pytest.mark.parametrize(("mode", "vectors", "interval"), [(3, 4, 49), (1, 4, 10), (3, 1, 49), (1, 1, 14)])
def test_mode_3_of_igb_has_no_lowest_latency(mode: int, vectors: int, interval: int) -> None:
    policy = IgbPolicy(mode=mode, vectors=vectors)
    rule = policy.rule(10**9, MS)
    rule.handled((2, 120), NOTHING, 0)
    assert rule.interval == interval * US >= policy.least(10**9)


def test_igb_with_one_vector_has_classes_and_goes_there_at_once() -> None:
    """Its intermediate steps are the larger of two numbers, and the other one is the target."""
    rule = IgbPolicy(vectors=1).rule(10**9, MS)
    rule.handled((4, 6000), NOTHING, 0)
    assert rule.interval == 49 * US  # 196
    rule.handled((20, 30_000), NOTHING, 0)
    assert rule.interval == 245 * US  # 980
    assert [igb_class(BULK, 4, nbytes) for nbytes in (1499, 1500, 25_000)] == [LOW, BULK, BULK]
    assert igb_class(BULK, 36, 25_001) == LOW == class_of(BULK, 36, 25_001)


def test_igb_has_4000_interrupts_below_a_gigabit() -> None:
    rule = IgbPolicy().rule(10**8, MS)
    rule.handled((1, 60), NOTHING, 0)
    assert rule.interval == 245 * US
