"""The types of a spec's fields by their addresses, and the quantities of numbers there."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from netsim.spec.spec import Spec
from netsim.spec.spelling import members
from netsim.spec.tree import Tree
from netsim.units import Quantity


def annotation_at(scenario: Spec, address: str) -> Any:
    """The type of the value at an address, Annotated as in its spec; for a list's element, that of its elements.
    Raises ScenarioError with the nearest right address."""
    scenario.get(address)
    above, _, name = address.rpartition(".")
    owner = scenario.get(above) if above else scenario
    if isinstance(owner, Tree):
        field = type(owner).model_fields[name]
        return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    return next((get_args(one)[0] for one in members(annotation_at(scenario, above)) if get_origin(one) is tuple), Any)


def quantity_of(annotation: Any) -> str:
    """The quantity (netsim.units.QUANTITIES) of a number of this type; "" if there is none."""
    quantities = {mark.name for mark in _marks(annotation) if isinstance(mark, Quantity)}
    return quantities.pop() if len(quantities) == 1 else ""


def quantity_at(scenario: Spec, address: str) -> str:
    """The quantity of the value at an address. Raises ScenarioError with the nearest right address."""
    return quantity_of(annotation_at(scenario, address))


def _marks(annotation: Any) -> Iterator[object]:
    """The annotations of a type, or of the members of a union."""
    if get_origin(annotation) is Annotated:
        first, *marks = get_args(annotation)
        yield from marks
        yield from _marks(first)
    elif get_origin(annotation) in (Union, UnionType):
        for one in get_args(annotation):
            yield from _marks(one)
