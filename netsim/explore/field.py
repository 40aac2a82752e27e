"""What a scenario accepts at an address: whether a value alone is right, and how tables and people have it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError, create_model

from netsim.errors import ScenarioError, plain, scenario_error
from netsim.spec import Spec
from netsim.spec.changes import in_place_of
from netsim.spec.spelling import is_tag, spelling_of
from netsim.units import QUANTITIES, format_quantity


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
