"""Short spellings of a field's value: "none" for None, a variant by its tag alone, one name for a list of one."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Literal, NamedTuple, Union, get_args, get_origin

from netsim.spec.tree import Tree

NONE = "none"  # None in TOML, which has no word for it


class Spelling(NamedTuple):
    """The meaning of texts where a value of some type is expected: the field of each variant's tag, whether a list of
    specs is allowed, and whether "none" is None."""

    tags: Mapping[str, str]
    is_list: bool
    has_none: bool

    def __call__(self, text: object) -> object:
        """The value that a text stands for; other values stand for themselves."""
        if not isinstance(text, str):
            return text
        if text in self.tags:
            return {self.tags[text]: text}
        if self.is_list:
            return [text]
        return None if text == NONE and self.has_none else text


@cache
def spelling(cls: type[Tree], name: str) -> Spelling:
    """The spelling of a field's values."""
    return spelling_of(cls.model_fields[name].annotation)


def spelling_of(annotation: object) -> Spelling:
    """The spelling of values of a type."""
    allowed = list(members(annotation))
    variants = [one for one in allowed if isinstance(one, type) and issubclass(one, Tree)]
    fields = [(name, field) for one in variants for name, field in one.model_fields.items() if len(variants) > 1]
    tags = {get_args(field.annotation)[0]: name for name, field in reversed(fields) if is_tag(field.annotation)}
    as_it_is = str in allowed or any(NONE in get_args(one) for one in allowed if get_origin(one) is Literal)
    return Spelling(tags, any(map(_is_list_of_specs, allowed)), type(None) in allowed and not as_it_is)


def _is_list_of_specs(annotation: object) -> bool:
    inside = get_args(annotation)[:1] if get_origin(annotation) is tuple else ()
    return any(isinstance(one, type) and issubclass(one, Tree) for one in inside)


def members(annotation: object) -> Iterator[object]:
    """The members of a union, however nested and annotated."""
    if get_origin(annotation) is Annotated:
        yield from members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for one in get_args(annotation):
            yield from members(one)
    else:
        yield annotation


def is_tag(annotation: object) -> bool:
    """Whether it is a Literal of one word, which distinguishes a variant from the others."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1
