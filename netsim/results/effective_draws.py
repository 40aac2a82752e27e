"""How precisely times that follow each other tell a share of all times: as many independent draws would tell as much.

The share of times up to some time is a mean of ones and zeros in the order of time. Its variance comes from their
slowest swings, as for a throughput (netsim.statistics); n independent draws would have a variance of share x (1 -
share) / n. That gives n, and n gives the interval of any other share nearby: also where many times are equal, so that
no time has exactly the share in question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from netsim.statistics import DEGREES, Array, Estimate, degrees_of_each, replications, student, variance_of_sum


@dataclass(frozen=True)
class EffectiveDraws:
    """The `number` of independent draws, known with these `degrees` of freedom."""

    number: float
    degrees: int

    @classmethod
    def of(cls, runs: Sequence[Array]) -> Self | None:
        """The draws from each run's ones and zeros in the order of time; None if all are equal, which tells nothing."""
        share = float(np.concatenate(runs).mean()) if runs else 1.0
        if share in (0.0, 1.0):
            return None
        degrees = degrees_of_each(len(runs))
        mean = replications([_share(run, degrees) for run in runs], confidence=0.0)
        return cls(share * (1 - share) / mean.variance if mean.variance else math.inf, mean.degrees)

    def width(self, share: float, confidence: float) -> float:
        """The half-width of this share's interval."""
        return student(confidence, self.degrees) * math.sqrt(share * (1 - share) / self.number)

    def reach_beyond(self, share: float, confidence: float) -> bool:
        """Whether, with this confidence, at least one of the draws is beyond this share of the distribution."""
        return bool(share**self.number <= 1 - confidence)


def both_sides(runs: Sequence[Array], time: float) -> tuple[EffectiveDraws, EffectiveDraws]:
    """The draws for the share of times below this one, and for that up to this one. If no time is on one side, the
    other side tells for both; times that are all equal count as independent."""
    below, up_to = (EffectiveDraws.of([holds(run, time) for run in runs]) for holds in (np.less, np.less_equal))
    every = EffectiveDraws(sum(map(len, runs)), DEGREES)
    return below or up_to or every, up_to or below or every


def _share(holds: Array, degrees: int) -> Estimate:
    mean = float(holds.mean())
    return Estimate(mean, 0.0, *variance_of_sum((holds - mean) / len(holds), degrees))
