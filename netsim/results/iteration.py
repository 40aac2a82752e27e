"""One iteration of a tool, its measurements, and the means over several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from netsim.accounts.accounts import Accounts
from netsim.results.latencies import Responses
from netsim.results.phases import Stretch
from netsim.results.samples import Samples
from netsim.statistics import Estimate
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class Iteration:
    """The measurements of an iteration: its mean, and the accounts of the measured window."""

    estimate: Estimate
    window: Accounts
    simulated: int  # ps, with the warm-up
    events: int
    reached: bool = True  # of a series, whether each point is known as precisely as requested
    samples: Samples | None = None  # of the window, if there is a steady state
    curve: Mapping[int, Estimate] = field(default_factory=dict)  # of a series: bit/s by message size, rising
    responses: Responses | None = None  # in the window, if each transaction is recorded
    of_flows: Mapping[str, Responses] = field(default_factory=dict)  # the same of each flow that has transactions
    stretches: tuple[Stretch, ...] = ()  # of a run with events: its phases


def mean_rates(each: Sequence[tuple[Mapping[str, int], int]]) -> dict[str, float]:
    """Per name, the mean over iterations of its number per second, given the numbers and the time (ps) of each.

    As for the total, all iterations count the same, although their windows differ in length by up to a few samples: the
    parts add up to the total.
    """
    names = dict.fromkeys(name for numbers, _ in each for name in numbers)
    return {name: fmean(numbers.get(name, 0) * PS_PER_S / time for numbers, time in each) for name in names}


@dataclass(frozen=True)
class Ending:
    """How a simulation ended: the requested `precision`, a share of the mean (0: no request); whether it has `settled`,
    and `reached` the precision; the half-width as a `share` (Estimate.share); the reason if it was cut short."""

    precision: float
    settled: bool
    reached: bool
    share: float
    cut_short: str = ""

    @property
    def converged(self) -> bool:
        """Whether it is as precise as requested."""
        return self.settled and (self.reached or not self.precision) and not self.cut_short
