"""The content of an address: the field, the spec that has it, and its alternatives."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isabstract
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from netsim.scenario import Scenario
from netsim.spec import NONE, Spec
from netsim.spec.spelling import is_tag, members
from netsim.spec.tree import Tree, child
from netsim.spec.variants import below
from netsim.units import QUANTITIES, Quantity, QuantityRule

SWITCH = ["true", "false"]  # the words of a switch


@dataclass(frozen=True)
class FieldPlace:
    """A field of a spec; `holder` is the field that holds the spec itself, and determines its possible variants."""

    owner: Tree
    name: str
    holder: FieldPlace | None = None

    @property
    def field(self) -> FieldInfo:
        """As the spec declares it."""
        return type(self.owner).model_fields[self.name]

    @property
    def quantity(self) -> str:
        """Its quantity (netsim.units.QUANTITIES); "" for none."""
        found = [one.name for one in self.field.metadata if isinstance(one, Quantity)]
        nested = [
            one.name
            for member in get_args(self.field.annotation)
            for one in getattr(member, "__metadata__", ())
            if isinstance(one, Quantity)
        ]
        return next(iter(found + nested), "")

    @property
    def rule(self) -> QuantityRule | None:
        """The rule of that quantity."""
        return QUANTITIES[self.quantity] if self.quantity else None

    @property
    def words(self) -> list[str]:
        """The words allowed here; none if the field is not a choice among words."""
        if is_tag(self.field.annotation):
            return self._tags()
        every = list(members(self.field.annotation))
        found = [str(word) for one in every if get_origin(one) is Literal for word in get_args(one)]
        found = SWITCH if bool in every else found
        return [*found, *[NONE] * (bool(found) and self.may_be_none)]

    @property
    def may_be_none(self) -> bool:
        """Whether none is allowed here."""
        return type(None) in members(self.field.annotation)

    def _tags(self) -> list[str]:
        """The tags of all variants that may replace the spec."""
        kinds: list[Any] = list(members(self.holder.field.annotation)) if self.holder else [type(self.owner)]
        specs = [one for one in kinds if isinstance(one, type) and issubclass(one, Tree)]
        every = [one for spec in specs for one in (spec, *below(spec)) if not isabstract(one)]
        tags = (one.model_fields[self.name].default for one in every if self.name in one.model_fields)
        return list(dict.fromkeys(str(tag) for tag in tags))


def place_of(scenario: Scenario, address: str) -> FieldPlace | None:
    """The field that holds the value at an address; None if the address does not exist."""
    value: object = scenario
    found: FieldPlace | None = None
    for part in address.split("."):
        if isinstance(value, Tree) and part in type(value).model_fields:
            found = FieldPlace(value, part, found)
        elif not isinstance(value, tuple):
            return None
        value = child(value, part)
    return found


def catalogue_of(field: FieldInfo) -> str:
    """The category of models/ whose names a field accepts; "" for none."""
    specs = [one for one in members(field.annotation) if isinstance(one, type) and issubclass(one, Spec)]
    return next((one.catalogue for one in specs if one.catalogue), "")
