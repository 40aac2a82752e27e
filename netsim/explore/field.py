"""What a scenario accepts at an address: which quantity, and whether a value alone is right."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError, create_model

from netsim.errors import ScenarioError, plain, scenario_error
from netsim.spec import Spec
from netsim.spec.changes import in_place_of
from netsim.spec.spelling import is_tag, members, spelling_of
from netsim.spec.tree import Tree
from netsim.units import QUANTITIES, Quantity, format_quantity


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


def unit_of(quantity: str) -> str:
    """The base unit of a quantity, in which tables have it: "ps", "Hz", "B"; "" if it has none."""
    return [*(QUANTITIES[quantity].units or {"": 1})][-1] if quantity else ""


def name_of(address: str, quantity: str) -> str:
    """An address's name in tables: followed by its base unit, "mtu [B]", if there is one."""
    unit = unit_of(quantity)
    return f"{address} [{unit}]" if unit else address


def text_of(quantity: str, shown: object, exactly: bool = False) -> str:
    """A value of a table as people write it: a number with its unit, to a few digits or `exactly`."""
    shown = plain(shown)
    if isinstance(shown, bool) or not isinstance(shown, int | float):
        return "none" if shown is None else str(shown)
    if quantity:
        return format_quantity(quantity, shown, None) if exactly else format_quantity(quantity, shown)
    return str(shown) if exactly else f"{shown:g}"


def checked(scenario: Spec, address: str, annotation: Any, value: object) -> object:
    """A value alone, whatever the others are, as a spec would keep it. Raises ScenarioError."""
    if is_tag(annotation):
        return _tag(scenario, address, value)
    value = in_place_of(scenario.get(address), value)
    try:
        return _reader(annotation)(value=spelling_of(annotation)(value)).value  # type: ignore[attr-defined]
    except ValidationError as error:
        raise _moved(scenario_error(error, _reader(annotation).model_fields), address) from None
    except ScenarioError as error:
        raise _moved(error, address) from None


def _tag(scenario: Spec, address: str, value: object) -> object:
    """A word, such as a policy's name, that makes another variant of the spec it is in. Only an error at the
    word itself counts: the variant may lack a value that another axis has."""
    try:
        scenario.replace(address, value)
    except ScenarioError as error:
        if error.address == address:
            raise
    return value


def _moved(error: ScenarioError, address: str) -> ScenarioError:
    """The error at the address instead of the reader's field."""
    below = error.address.removeprefix("value").lstrip(".")
    return ScenarioError(error.problem, address=below, file=error.file).at(address)


@lru_cache(maxsize=256)
def _reader(annotation: Any) -> type[BaseModel]:
    """A model with nothing but a `value` of this type."""
    return create_model("Reader", value=(annotation, ...))


def _marks(annotation: Any) -> Iterator[object]:
    """The annotations of a type, or of the members of a union."""
    if get_origin(annotation) is Annotated:
        first, *marks = get_args(annotation)
        yield from marks
        yield from _marks(first)
    elif get_origin(annotation) in (Union, UnionType):
        for one in get_args(annotation):
            yield from _marks(one)
