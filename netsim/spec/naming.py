"""A spec's name in the catalogue, which it keeps when something in it is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from netsim.spec.tree import Tree, child


def keep_names(old: object, new: object, changed: Iterable[str]) -> None:
    """Give `new`, and the specs in it that contain `changed` addresses, the names of their counterparts in `old`,
    unless they have a name already or are of another class."""
    if isinstance(old, Tree) and isinstance(new, Tree):
        if old is new or type(old) is not type(new):
            return
        if old._model and not new._model:
            new._model = old._model
    below: dict[str, list[str]] = {}
    for address in changed:
        head, _, rest = address.partition(".")
        if rest:
            below.setdefault(head, []).append(rest)
    for head, inside in below.items():
        keep_names(child(old, head), child(new, head), inside)


def laid_addresses(table: Mapping[str, object], above: str = "") -> Iterator[str]:
    """The addresses that a user's table changes in the spec that it is laid over."""
    for key, value in table.items():
        if isinstance(value, Mapping) and "model" not in value:
            yield from laid_addresses(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"
