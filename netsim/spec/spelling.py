"""Short spellings of a field's value: "none" for None, a variant by its tag alone, one name for a list of one."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Literal, Union, get_args, get_origin

from netsim.spec.tree import Tree

NONE = "none"  # what TOML, which has no word for it, calls None


def spelled(annotation: object, text: object) -> object:
    """What a text stands for where `annotation` is expected; other values stand for themselves."""
    if not isinstance(text, str):
        return text
    allowed = list(members(annotation))
    variants = [one for one in allowed if isinstance(one, type) and issubclass(one, Tree)]
    for variant in variants if len(variants) > 1 else []:
        for name, field in variant.model_fields.items():
            if is_tag(field.annotation) and text in get_args(field.annotation):
                return {name: text}
    if any(_is_list_of_specs(one) for one in allowed):
        return [text]
    as_it_is = str in allowed or any(text in get_args(one) for one in allowed if get_origin(one) is Literal)
    return None if text == NONE and type(None) in allowed and not as_it_is else text


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
    """A Literal of one word tells a variant from the others."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1
