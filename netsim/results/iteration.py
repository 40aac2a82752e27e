"""One iteration of a tool, and what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netsim.accounts.accounts import Accounts
from netsim.results.latencies import Responses
from netsim.results.phases import Stretch
from netsim.results.samples import Samples
from netsim.statistics import Estimate


@dataclass(frozen=True)
class Iteration:
    """What was found: its mean, and the accounts of the window measured."""

    estimate: Estimate
    window: Accounts
    simulated: int  # ps, with the warm-up
    events: int
    reached: bool = True  # of a series, whether each point is known as precisely as was asked
    samples: Samples | None = None  # of the window, where there is a steady state
    curve: Mapping[int, Estimate] = field(default_factory=dict)  # of a series: bit/s by message size, rising
    responses: Responses | None = None  # in the window, where each transaction is noted
    of_flows: Mapping[str, Responses] = field(default_factory=dict)  # the same of each flow that has transactions
    stretches: tuple[Stretch, ...] = ()  # of a run to which something happens: its phases


@dataclass(frozen=True)
class Ending:
    """How a simulation ended: the `precision` asked for, a share of the mean (0 asks for nothing); whether it has
    `settled`, and `reached` that; the half-width as a `share` (Estimate.share); what cut it short, if something did."""

    precision: float
    settled: bool
    reached: bool
    share: float
    cut_short: str = ""

    @property
    def converged(self) -> bool:
        """Whether it is as good as was asked for."""
        return self.settled and (self.reached or not self.precision) and not self.cut_short
