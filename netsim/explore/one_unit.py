"""The unit in which all points of a sweep count their results: one table can't hold Mbit/s and transactions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.errors import ScenarioError, show
from netsim.explore.field import checked
from netsim.explore.points import Column, Points
from netsim.spec.field_types import annotation_at
from netsim.spec.tree import values

if TYPE_CHECKING:
    from netsim.scenario import Scenario
    from netsim.units import RateUnit


def one_unit(scenario: Scenario, points: Points) -> RateUnit:
    """The unit of all points. Raises ScenarioError if their units differ.

    It depends only on words among the scenario's own fields, so only these are looked at, and nothing is built or
    checked as a whole.
    """
    words = {one.address: [*_words(scenario, one)] for _, one in points.columns if _decides(one)}
    first = {address: found[0][1] for address, found in words.items()}
    unit = _unit(scenario, first)
    for address, found in words.items():
        for given, value in found:
            if (other := _unit(scenario, first | {address: value})) != unit:
                text = f"{show(found[0][0])} is measured in {unit.name}, {show(given)} in {other.name}"
                raise ScenarioError(f"{text}; allowed: one unit; make a sweep for each", address=address)
    return unit


def _decides(column: Column) -> bool:
    """Whether the unit may depend on it."""
    return not ("." in column.address or column.quantity or column.is_number)


def _words(scenario: Scenario, column: Column) -> Iterator[tuple[object, object]]:
    """Each of its different values: as it was given, and as a spec keeps it."""
    annotation = annotation_at(scenario, column.address)
    for at in sorted(np.unique(column.codes, return_index=True)[1]):
        given = column.values[at]
        yield given, checked(scenario, column.address, annotation, given)


def _unit(scenario: Scenario, changes: dict[str, object]) -> RateUnit:
    """The unit of a scenario with these values, which need not be possible together."""
    fields: dict[str, Any] = values(scenario) | changes
    return type(scenario).model_construct(**fields).unit if changes else scenario.unit
