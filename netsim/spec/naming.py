"""What a spec is called in the catalogue, and stays called when something in it is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from netsim.spec.tree import Tree, child


def keep_names(old: Tree, new: Tree, changed: Iterable[str]) -> None:
    """`new`, and what `changed` addresses lie in, are called as `old` and what was there, unless they have a name of
    their own or have become another kind of thing."""
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
