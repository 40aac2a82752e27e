"""What two results must have in common before their numbers are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.errors import ScenarioError, check_type

if TYPE_CHECKING:
    from netsim.results.result import Result


def check_comparable(one: Result, other: Result) -> None:
    """Check that the other is a result, and counts the same: bits or transactions. Raises ScenarioError."""
    check_type("other", other, type(one), "a Result")
    units = one.scenario.unit, other.scenario.unit
    if units[0].each != units[1].each:
        raise ScenarioError(f"{units[0].name} and {units[1].name} can't be compared")


def check_confidence(one: Result, other: Result) -> None:
    """Check that the intervals of both have the same confidence. Raises ScenarioError."""
    if one.confidence != other.confidence:
        both = f"{one.confidence:.15g} and {other.confidence:.15g}"
        raise ScenarioError(f"intervals of confidence {both} can't be combined; allowed: the same", address="other")
