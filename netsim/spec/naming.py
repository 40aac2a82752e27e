"""A spec's name in the catalogue, which it keeps when something in it is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from netsim.spec.tree import Tree, child


def keep_names(old: Tree, new: Tree, changed: Iterable[str]) -> None:
    """Give `new`, and the specs in it that contain `changed` addresses, the names of their counterparts in `old`,
    unless they have a name already or are of another class."""
    for address in ("", *changed):
        before: object = old
        after: object = new
        for part in ["", *address.split(".")[:-1]]:
            before, after = (child(before, part), child(after, part)) if part else (before, after)
            if isinstance(before, Tree) and isinstance(after, Tree):
                if before is after or type(before) is not type(after):
                    break
                if before._model and not after._model:
                    after._model = before._model


def laid_addresses(table: Mapping[str, object], above: str = "") -> Iterator[str]:
    """The addresses that a user's table changes in the spec that it is laid over."""
    for key, value in table.items():
        if isinstance(value, Mapping) and "model" not in value:
            yield from laid_addresses(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"
