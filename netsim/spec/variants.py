"""Abstract descriptions, whose subclasses are variants: a tag in the data says which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import isabstract
from typing import Any, TypeVar

from netsim.errors import no_choice
from netsim.spec.tree import Tree

T = TypeVar("T", bound=Tree)


def variant(cls: type[T], tag: str, data: Mapping[str, Any]) -> type[T]:
    """The class to read data with: the subclass with their `tag`, or the default one if they have none. A class that
    is not abstract, or has no tag, stands for itself. Raises ScenarioError for a tag that no class has, or that is not
    the class's own."""
    if not tag:
        return cls
    if not isabstract(cls):
        _check_own(cls, tag, data)
        return cls
    known = {one.model_fields[tag].default: one for one in below(cls) if not isabstract(one)}
    given = data.get(tag, cls.model_fields[tag].default)
    found = [one for name, one in known.items() if name == given]
    if not found:
        raise no_choice(given, list(known)).at(tag)
    return found[0]


def _check_own(cls: type[T], tag: str, data: Mapping[str, Any]) -> None:
    """Raise one ScenarioError for data of another variant, instead of one for each key that this one lacks."""
    own = str(cls.model_fields[tag].default)
    if data.get(tag, own) != own:
        raise no_choice(data[tag], [own]).at(tag)


def below(cls: type[T]) -> Iterator[type[T]]:
    """All subclasses, direct and indirect."""
    for one in cls.__subclasses__():
        yield one
        yield from below(one)
