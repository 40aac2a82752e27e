"""The differences between two scenarios, in as few lines as possible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from netsim.show.spec_view import leaves
from netsim.spec import NONE
from netsim.spec.tree import Tree, values

if TYPE_CHECKING:
    from netsim.scenario import Scenario


class Change(NamedTuple):
    """The values of both scenarios at an address; `none` for no value."""

    address: str
    this: str
    other: str


def changes(one: Scenario, other: Scenario) -> list[Change]:
    """All differences of two scenarios."""
    tools = [Change("tool", one.tool(), other.tool())] if type(one) is not type(other) else []
    return [*tools, *changes_within(one, other)]


def changes_within(one: Tree, other: Tree) -> list[Change]:
    """All differences of two specs. If one spec from the catalogue has replaced another, their names are listed, and
    only those values below them that the user has set."""
    renamed = list(_renamed(one, other, ""))
    return [*renamed, *_changed(one, other, tuple(f"{name.address}." for name in renamed))]


def _renamed(one: object, other: object, address: str) -> Iterator[Change]:
    """Specs with different names in the catalogue, and those inside them."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        for number, (this, there) in enumerate(zip(one, other, strict=False)):
            yield from _renamed(this, there, f"{address}.{number}")
    elif isinstance(one, Tree) and isinstance(other, Tree):
        this, there = (each.catalogue_name.rpartition("/")[2] for each in (one, other))
        if this and there and this != there:
            yield Change(address, this, there)
        for name, value in values(one).items():
            yield from _renamed(value, other.__dict__.get(name), f"{address}.{name}" if address else name)


def _changed(one: Tree, other: Tree, known: tuple[str, ...]) -> Iterator[Change]:
    """Values, except those that come with specs `known` to differ and were not set by the user."""
    both = [{leaf.address: leaf for leaf in leaves(spec)} for spec in (one, other)]
    for address in dict.fromkeys((*both[0], *both[1])):
        found = [each.get(address) for each in both]
        this, there = (leaf.value if leaf else NONE for leaf in found)
        if this != there and (not address.startswith(known) or any(leaf and leaf.is_users for leaf in found)):
            yield Change(address, this, there)
