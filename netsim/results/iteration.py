"""One iteration of a tool, and what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netsim.accounts.accounts import Accounts
from netsim.results.phases import Stretch
from netsim.statistics import Estimate


@dataclass(frozen=True)
class Iteration:
    """What was found: the accounts of the window measured, and `reached`, whether the precision was."""

    estimate: Estimate
    window: Accounts
    reached: bool
    simulated: int  # ps, with the warm-up
    events: int
    curve: Mapping[int, Estimate] = field(default_factory=dict)  # of a series: bit/s by message size, rising
    stretches: tuple[Stretch, ...] = ()  # of a run to which something happens: its phases
