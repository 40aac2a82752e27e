"""Changed data of a spec, to be validated again: other values at addresses, or a user's table laid over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from netsim.catalog.provenance import Unchanged, split
from netsim.errors import ScenarioError, show
from netsim.spec.spelling import is_tag, spelling
from netsim.spec.tree import Tree, child, holds_trees, names, values
from netsim.spec.written import sourced
from netsim.units import Exact
from netsim.units.reading import exactly


def changed(data: Any, changes: Mapping[str, object]) -> Any:
    """Data with changes made at addresses below it."""
    if "" in changes:
        return in_place_of(data, changes[""])
    below: dict[str, dict[str, object]] = {}
    for address, value in changes.items():
        head, _, rest = address.partition(".")
        below.setdefault(head, {})[rest] = value
    if not isinstance(data, Tree):
        return list(_items(data, below))
    given = {head: _at_part(head, _field(data, head, rest), rest) for head, rest in below.items()}
    if _is_other_variant(data, {head: rest.get("") for head, rest in below.items()}):
        return given
    fields, sources = data.beside(given)
    anew, theirs = split(given)
    return Unchanged(data.catalogue_name, fields | anew, sources | theirs)


def _at_part(part: str, data: Any, changes: Mapping[str, object]) -> Any:
    """Data at the next part of an address, with changes; a mistake in them is reported with that part."""
    try:
        return changed(data, changes)
    except ScenarioError as error:
        raise error.at(part) from None


def _items(items: Sequence[Any], below: Mapping[str, Mapping[str, object]]) -> Iterator[object]:
    """The items of a list, with changes made below their indices. A spec that is in it several times, and gets the same
    changes each time, stays one object, which is checked once: sixteen equal clients of a server, for example."""
    made: dict[tuple[object, ...], object] = {}
    for index, one in enumerate(items):
        if (changes := below.get(str(index))) is None:
            yield one
            continue
        same = id(one), *((address, id(value)) for address, value in changes.items())
        if same not in made:
            again = isinstance(one, Tree) and any(one is other for other in items[index + 1 :])
            made[same] = _checked(one, changes) if again else _at_part(str(index), one, changes)
        yield made[same]


def _checked(spec: Tree, changes: Mapping[str, object]) -> object:
    """A spec with changes. If they make another variant of it or are not allowed, its changed data, for the reader of
    the list, which knows the variants and the whole address of a mistake."""
    data = changed(spec, changes)
    try:
        return type(spec).model_validate(data) if isinstance(data, Unchanged) else data
    except ScenarioError:
        return data


def _field(spec: Tree, name: str, changes: Mapping[str, object]) -> object:
    """A field to be changed; the values of a list come with their sources, which unchanged ones keep."""
    value = child(spec, name)
    return value if "" in changes or holds_trees(value) else sourced(spec)[name]


def in_place_of(old: object, value: object) -> object:
    """The data that a value stands for in place of a spec. A catalogue name keeps some parts of the old spec, such as
    a host's system and adapters, without which it is not a host."""
    kept = old.kept if isinstance(old, Tree) else ()
    return {"model": value} | {name: child(old, name) for name in kept} if kept and isinstance(value, str) else value


def is_kept(spec: Tree, whole: str, address: str) -> bool:
    """Whether a catalogue name in place of the `whole`, the address of a spec, keeps what is at an address in it."""
    old = _at(spec, whole)
    return isinstance(old, Tree) and address.removeprefix(f"{whole}.").partition(".")[0] in old.kept


def joined(spec: Tree, changes: Mapping[str, object]) -> dict[str, object]:
    """Changes with those to the keys of a variant that is given whole, or by its tag alone, in its table: it may need
    them."""
    found, places = dict(changes), {one.rpartition(".")[0] for one in changes}
    for address in filter(places.__contains__, changes):
        if (table := _table(spec, address, changes[address])) is not None:
            below = {key: one for one in changes for place, _, key in [one.rpartition(".")] if place == address}
            found[address] = {**table, **{key: found.pop(one) for key, one in below.items() if key not in table}}
    return found


def laid_together(spec: Tree, changes: Mapping[str, object]) -> dict[str, object]:
    """Changes with those inside a spec that is given by name laid over it, as in a file: it may be valid only together
    with them."""
    found = dict(changes)
    for address in sorted(changes, key=lambda one: one.count("."), reverse=True):  # the innermost first
        if address not in found or not _is_name(new := found[address]):
            continue
        old = _at(spec, address)
        laid = _inside(found, address, old) if _is_named(old) else {}
        if laid:
            found = {one: value for one, value in found.items() if one not in {f"{address}.{rest}" for rest in laid}}
            found[address] = _tables(in_place_of(old, new), laid)
    return found


def _is_name(value: object) -> bool:
    """Whether a value in place of a spec is a name in the catalogue, or has one as its `model`."""
    return isinstance(value, str) or (isinstance(value, Mapping) and "model" in value)


def _is_named(old: object) -> bool:
    """Whether a spec can be given by name; but names of variants may be of another class than the old spec."""
    catalogue, tag = (getattr(old, name, "") for name in ("catalogue", "tag"))
    return isinstance(old, Tree) and bool(catalogue) and not tag


def _inside(changes: Mapping[str, object], address: str, spec: object) -> dict[str, object]:
    """The changes inside the spec at an address that a table over that spec can make, by the rest of their addresses:
    not those in a list, whole tables, or those inside another change."""
    inside = {one.removeprefix(f"{address}."): new for one, new in changes.items() if one.startswith(f"{address}.")}
    return {
        rest: new for rest, new in inside.items()
        if _is_in_specs(spec, rest) and not isinstance(new, Mapping) and inside.keys().isdisjoint(above(rest))
    }


def _is_in_specs(spec: object, address: str) -> bool:
    """Whether an address leads through specs alone; they may have no such field."""
    for part in address.split("."):
        if not isinstance(spec, Tree):
            return False
        spec = child(spec, part)
    return True


def _tables(data: object, changes: Mapping[str, object]) -> dict[str, object]:
    """The table that stands for data, a spec or the name of one, with changes at addresses below it."""
    table = dict(data) if isinstance(data, Mapping) else {"model": data}
    below: dict[str, dict[str, object]] = {}
    for address, value in changes.items():
        head, _, rest = address.partition(".")
        below.setdefault(head, {})[rest] = value
    return table | {head: one[""] if "" in one else _tables(table.get(head, {}), one) for head, one in below.items()}


def _at(spec: Tree, address: str) -> object:
    """What is at an address; None if there is nothing."""
    owner, name = _owner(spec, address)
    return child(owner, name)


def _table(spec: Tree, address: str, value: object) -> Mapping[str, object] | None:
    """The table that a value at an address is, or stands for as a tag; None for a name, and for anything else."""
    owner, name = _owner(spec, address)
    if isinstance(owner, Tree) and name in names(type(owner)):
        value = spelling(type(owner), name)(value)
    return value if isinstance(value, Mapping) and "model" not in value else None


def in_other_variant(spec: Tree, address: str, changes: Mapping[str, object]) -> bool:
    """Whether a spec has no field at an address, but changes beside it give it another tag, and so other fields."""
    owner, name = _owner(spec, address)
    if not isinstance(owner, Tree) or name in names(type(owner)):
        return False
    place = address.rpartition(".")[0]
    beside = {key: new for one, new in changes.items() for at, _, key in [one.rpartition(".")] if at == place}
    return _is_other_variant(owner, beside)


def _owner(spec: Tree, address: str) -> tuple[object, str]:
    """What contains an address, None if there is nothing, and the last part of the address."""
    *place, name = address.split(".")
    owner: object = spec
    return reduce(child, place, owner), name


def above(address: str) -> list[str]:
    """The addresses that contain an address: "a" and "a.b" for "a.b.c"."""
    parts = address.split(".")
    return [".".join(parts[:number]) for number in range(1, len(parts))]


def scaled(value: object, factor: object) -> float:
    """A spec's number times a factor; a whole number is multiplied exactly, then rounded half to even. Raises
    ScenarioError."""
    by = exactly(factor)
    if by is None:
        raise ScenarioError(f"{show(factor)} is not allowed as a factor; allowed: a number")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScenarioError(f"{show(value)} is not a number; allowed: the address of one")
    return Exact(round(value * by)) if isinstance(value, int) else value * float(by)


def laid_over(below: Any, above: Any) -> Any:
    """A spec with a user's table laid over it, as data; a name or another variant takes its place altogether."""
    if not (isinstance(below, Tree) and isinstance(above, Mapping)) or "model" in above:
        return above
    if _is_other_variant(below, above):
        return above
    fields = values(below)
    return sourced(below) | {key: laid_over(fields.get(key), value) for key, value in above.items()}


def _is_other_variant(spec: Tree, given: Mapping[str, object]) -> bool:
    """Whether values have another tag than the spec."""
    fields = type(spec).model_fields
    tags = [name for name in given if name in fields and is_tag(fields[name].annotation)]
    return any(getattr(spec, name) != split(given[name])[0] for name in tags)
