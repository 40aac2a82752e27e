"""Each moderation policy against its closed form: how long a lone event waits, and how often there is an interrupt
while events come at even intervals."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, inf

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import RX_MODERATION
from netsim.engine import Environment
from netsim.nic import moderation_spec as moderation
from netsim.nic.moderation_spec import Moderation
from netsim.units import US

ABSOLUTE = moderation.AbsoluteDelay(delay="100 us")
PACKET = moderation.PacketDelay(delay="100 us")
LIMITED = moderation.PacketDelay(delay="100 us", limit="350 us")
GAP = moderation.MinimumGap(gap="100 us")
COUNT = moderation.CountOrTime(frames=8, time="100 us")
TICK = moderation.CountOrTick(frames=8, period="100 us")
ADAPTIVE = moderation.Adaptive(gap="100 us", frames=10, period="1 ms")
ALL: list[Moderation] = [moderation.NONE, ABSOLUTE, PACKET, LIMITED, GAP, COUNT, TICK, ADAPTIVE]


def interrupts(policy: Moderation, events: list[int]) -> list[int]:
    """Times of the interrupts (ps) for these times of events, if the driver handles all events at each interrupt."""
    env = Environment()
    raised: list[int] = []
    moderator = policy.moderator(env, lambda: raised.append(env.now), Resource("pc", RX_MODERATION, 0))
    for time in events:
        env.call_at(time, lambda _: moderator.event() if moderator else raised.append(env.now))
    env.run()
    return raised


@pytest.mark.parametrize(
    ("policy", "wait"),
    [(moderation.NONE, 0), (ABSOLUTE, 100), (PACKET, 100), (LIMITED, 100), (GAP, 0), (COUNT, 100), (ADAPTIVE, 0)],
)
def test_a_lone_event_waits(policy: Moderation, wait: int) -> None:
    assert interrupts(policy, [7 * US, 5000 * US]) == [(7 + wait) * US, (5000 + wait) * US]
    assert policy.wait == wait * US


# Interval of the events (us), interval of the interrupts (us).
RATES = [
    (moderation.NONE, 12, 12),
    (ABSOLUTE, 12, ceil(100 / 12) * 12),
    (ABSOLUTE, 60, 2 * 60),
    (ABSOLUTE, 130, 130),
    (PACKET, 130, 130),
    (PACKET, 99, inf),
    (LIMITED, 130, 130),
    (LIMITED, 99, ceil(350 / 99) * 99),
    (LIMITED, 12, ceil(350 / 12) * 12),
    (GAP, 12, 100),
    (GAP, 99, 100),
    (GAP, 130, 130),
    (COUNT, 12, 8 * 12),  # seven more events within 100 us
    (COUNT, 15, 7 * 15),  # only six more
    (COUNT, 60, 2 * 60),
    (COUNT, 130, 130),
    (TICK, 20, 100),
    (TICK, 10, 50),  # at 80 us, and the rest at 100
    (TICK, 125, 125),
    (ADAPTIVE, 10, 100),  # 100 events a period
    (ADAPTIVE, 50, 100),  # 20
    (ADAPTIVE, 125, 125),  # 8 a period: each is reported at once
    (ADAPTIVE, 200, 200),
]


@pytest.mark.parametrize(("policy", "events", "interval"), RATES)
def test_interrupts_per_second_at_saturation(policy: Moderation, events: int, interval: float) -> None:
    assert policy.interval(events * US) == interval * US
    end = 200_000
    found = interrupts(policy, [time * US for time in range(0, end, events)])
    late = [time for time in found if 5000 * US < time < end * US]  # after an adaptive policy has seen some periods
    if interval == inf:
        assert late == []
        assert len(found) == 1  # when there are no more events
    else:
        assert (late[-1] - late[0]) / (len(late) - 1) == pytest.approx(interval * US, rel=1e-3)


@pytest.mark.parametrize("policy", ALL, ids=lambda policy: policy.policy)
@pytest.mark.parametrize("events", [7, 13, 41, 93, 211, 1711])
def test_no_policy_reports_more_often_than_events_come(policy: Moderation, events: int) -> None:
    assert policy.interval(events * US) >= events * US
    assert len(interrupts(policy, [time * US for time in range(0, 20_000, events)])) <= ceil(20_000 / events)


def test_count_or_time_with_every_frame_is_no_moderation() -> None:
    every = moderation.CountOrTime(frames=1, time="100 us")
    assert interrupts(every, [0, 5 * US]) == [0, 5 * US]
    assert every.wait == 0
    assert every.interval(5 * US) == 5 * US


def test_a_clock_takes_no_notice_of_events() -> None:
    """On average a lone event waits for half of the period."""
    assert interrupts(TICK, [7 * US, 5060 * US]) == [100 * US, 5100 * US]
    times = [time * US for time in range(0, 100_000, 1001)]
    found = interrupts(TICK, times)
    assert sum(after - before for before, after in zip(times, found, strict=True)) / len(times) == pytest.approx(
        TICK.wait, rel=0.02
    )


def test_a_policy_of_gaps_never_has_two_interrupts_closer() -> None:
    env = Environment(3)
    events = sorted(int(time) for time in env.stream("events").integers(0, 20_000 * US, 500))
    found = interrupts(GAP, events)
    assert min(after - before for before, after in pairwise(found)) >= 100 * US
    assert found[-1] >= events[-1]


def test_an_adaptive_policy_changes_with_the_load() -> None:
    """Few events, many from 10 to 20 ms, few again: moderated from the period after the first full one to the period
    after the first that is not full."""
    times = [*range(0, 10_000, 500), *range(10_000, 20_000, 20), *range(20_000, 30_000, 500)]
    found = [time / US for time in interrupts(ADAPTIVE, [time * US for time in times])]

    def rate(start: int, end: int) -> float:
        return sum(start <= time < end for time in found) / (end - start)

    assert rate(0, 10_000) == rate(21_000, 30_000) == 1 / 500
    assert rate(10_000, 11_000) == 1 / 20  # not yet
    assert rate(11_000, 20_000) == pytest.approx(1 / 100, rel=0.02)
