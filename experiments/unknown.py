"""The numbers of models/ that no source states, with the range from which each is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.parameters import Used
from netsim.errors import ScenarioError
from netsim.explore.limits import Limits
from netsim.scenario import Scenario

Places = Mapping[str, Sequence[str]]  # a number's name -> its addresses in a scenario (sender and receiver, say)


@dataclass(frozen=True)
class Unknown:
    """A number of models/ with the `limits` it has in a scenario, at the first of its `places` there."""

    number: Used
    limits: Limits
    places: Sequence[str]

    @property
    def name(self) -> str:
        """The number's name."""
        return self.number.name


def unknown(numbers: Iterable[Used]) -> list[Used]:
    """The assumed and fitted ones among these numbers."""
    return [one for one in numbers if one.provenance.kind in ("assumed", "fitted")]


def with_range(numbers: Iterable[Used]) -> list[Used]:
    """The unknown numbers that state a range."""
    return [one for one in unknown(numbers) if one.provenance.range is not None]


def standing(numbers: Iterable[Used], scenario: Scenario, places: Places) -> list[Unknown]:
    """The numbers with a range that a scenario uses; words, switches and lists can't be drawn."""
    found = []
    for one in with_range(numbers):
        if at := places.get(one.name):
            try:
                limits = Limits.of(scenario, at[0], one.provenance.range or ())
            except ScenarioError:
                continue
            found.append(Unknown(one, _narrowed(limits, scenario, one), at))
    return found


def _narrowed(limits: Limits, scenario: Scenario, number: Used) -> Limits:
    """Limits of an even distribution in logarithms, unless the number may be 0; for a fitted number narrowed to its
    standard deviation, where that is tighter than its range."""
    low, high, sd = limits.low, limits.high, number.provenance.sd
    if sd is not None and number.provenance.kind == "fitted":
        value = scenario.get(limits.address)
        assert isinstance(value, int | float)
        reach = math.sqrt(3) * sd / float(number.value) * value
        low, high = max(low, value - reach), min(high, value + reach)
        if low >= high:  # the fitted value is outside the range
            return replace(limits, logarithmic=limits.low > 0)
    return replace(limits, low=low, high=high, logarithmic=low > 0)
