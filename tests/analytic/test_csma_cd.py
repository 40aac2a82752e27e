"""Two stations that start together: how often they collide again, and for how long, against the closed form."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from netsim.engine import Environment
from netsim.ethernet import Frame, Segment, SegmentSpec
from netsim.ethernet.segment_spec import BACKOFF_LIMIT

BIT = 100_000  # ps
AWAY = 10  # bits between the two stations
FRAGMENT, GAP, SLOT = 96, 96, 512  # bits
PAUSE = 10**6  # bits between two trials: long enough for everything to be over
SIGMAS = 4.5  # of a mean: a correct model fails once in 150,000 runs of a test


class Pair:
    """Both repeatedly get a frame at the same moment; records how often that collided, and when the first frame then
    began to leave."""

    def __init__(self, seed: int, collided: tuple[int, int] = (0, 0)) -> None:
        self.env = Environment(seed=seed)
        self.segment = Segment(self.env, SegmentSpec(rate="10 Mbit/s", delay=f"{BIT} ps"), "cable")
        self.macs = [self.segment.mac("a", 0), self.segment.mac("b", AWAY)]
        self.collided = collided  # this often before
        self.frames_arrived = 0
        self.rounds: list[int] = []
        self.starts: list[float] = []
        self.first: list[str] = []  # which station
        self._ends: list[int] = []
        self._before = 0
        for mac in self.macs:
            mac.attach(self)
            self.segment.learn(mac.name, mac)

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.frames_arrived += 1

    def run(self, trials: int) -> None:
        for trial in range(trials):
            self.env.call_at(trial * PAUSE * BIT, self._begin)
            self.env.run((trial + 1) * PAUSE * BIT - 1)
            self.rounds.append(self.segment.collisions - self._before)
            self.starts.append((min(self._ends) - trial * PAUSE * BIT) / BIT - 576)

    def _begin(self, _: object) -> None:
        self._ends, self._before = [], self.segment.collisions
        for mac, other, collided in zip(self.macs, self.macs[::-1], self.collided, strict=True):
            mac.attempts = collided
            mac.put(Frame(64, other.name), self._done)

    def _done(self, frame: Frame, sent: bool) -> None:
        assert sent
        if not self._ends:
            self.first.append(frame.port)
        self._ends.append(self.env.now)


def again(first: int, second: int) -> float:
    """Probability that two stations with these numbers of collisions collide next: that both draw the same slot."""
    return 2.0 ** -min(max(first, second), BACKOFF_LIMIT)


def expected(most: int = 12) -> float:
    """Mean time (bits) from the common start to the start of the first frame that gets through."""
    mean, reached = 0.0, 1.0
    for attempts in range(1, most):
        slots = np.arange(2 ** min(attempts, BACKOFF_LIMIT))
        delays = np.where(slots == 0, FRAGMENT + AWAY + GAP, FRAGMENT + SLOT * slots)  # behind the other's fragment
        same, earlier = again(attempts, attempts), len(slots) - 1 - slots  # number of later slots, for each
        first = (delays * earlier).sum() / earlier.sum()
        mean += reached * (same * delays.mean() + (1 - same) * first)
        reached *= same
    return mean


def test_how_often_they_collide() -> None:
    """Always once, then 1/2, 1/4, 1/8 ... of the remaining trials: 2^-(n (n - 1) / 2) have n collisions or more."""
    trials = 20_000
    pair = Pair(seed=1)
    pair.run(trials)
    assert min(pair.rounds) == 1
    for most in range(2, 6):
        share = 2.0 ** (-most * (most - 1) / 2)
        found = sum(rounds >= most for rounds in pair.rounds)
        assert abs(found - trials * share) <= SIGMAS * sqrt(trials * share * (1 - share)) + 1
    assert pair.frames_arrived == 2 * trials


@pytest.mark.parametrize("collided", [(1, 1), (1, 2), (3, 1), (2, 4), (5, 5), (6, 1)])
def test_whoever_has_collided_more_often_decides_how_likely_the_next_is(collided: tuple[int, int]) -> None:
    """1 / 2^max(k). They always collide once, so both start with one less."""
    trials = 6000
    pair = Pair(seed=sum(collided), collided=(collided[0] - 1, collided[1] - 1))
    pair.run(trials)
    share = again(*collided)
    found = sum(rounds >= 2 for rounds in pair.rounds)
    assert abs(found - trials * share) <= SIGMAS * sqrt(trials * share * (1 - share))


def test_how_long_it_takes_until_one_gets_through() -> None:
    trials = 20_000
    pair = Pair(seed=2)
    pair.run(trials)
    error = float(np.std(pair.starts)) / sqrt(trials)
    assert abs(float(np.mean(pair.starts)) - expected()) <= SIGMAS * error


@pytest.mark.parametrize("collided", [(0, 0), (0, 1), (0, 3), (2, 2)])
def test_who_has_collided_less_gets_through_first(collided: tuple[int, int]) -> None:
    """The earlier slot wins; if both draw the same, they draw again, both from more slots."""

    def wins(one: int, other: int) -> float:
        """Probability that the first station gets through first, after these numbers of collisions."""
        if max(one, other) > 9:
            return 0.5  # very nearly, and almost never reached
        mine, others = (np.arange(2**collisions) for collisions in (one, other))
        earlier = float(np.mean(mine[:, None] < others[None, :]))
        return earlier + again(one, other) * wins(one + 1, other + 1)

    trials = 6000
    pair = Pair(seed=7, collided=collided)
    pair.run(trials)
    share = wins(collided[0] + 1, collided[1] + 1)
    found = pair.first.count("b")  # addressed to b, so sent by a
    assert abs(found - trials * share) <= SIGMAS * sqrt(trials * share * (1 - share)) + trials * 1e-3
    assert pair.frames_arrived == 2 * trials
