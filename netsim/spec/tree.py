"""A spec as a tree: every leaf has one dotted address, and a source that says where its value comes from."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Literal, Self, get_origin

from pydantic import BaseModel, ConfigDict, PrivateAttr

from netsim.catalog.provenance import Provenance
from netsim.errors import ScenarioError, check_type, near_miss, nearest
from netsim.units import Exact

SET_BY_USER = Provenance(kind="assumed", source="set by the user")


class Tree(BaseModel):
    """A spec without the means to read it: fields that never change, some of which are trees."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    kept: ClassVar[tuple[str, ...]] = ()  # fields that are kept when a name replaces it

    _sources: dict[str, Provenance] = PrivateAttr(default_factory=dict)  # of own leaves, as far as given
    _model: str = PrivateAttr(default="")  # "hosts/p166", the file of models/ that it was read from

    @property
    def catalogue_name(self) -> str:
        """Its name in the catalogue, "hosts/p166", even if it has been changed since; "" if it has none there."""
        return self._model

    def catalogue_names(self) -> dict[str, str]:
        """The catalogue names of all specs in it that have one, by address ("" is its own)."""
        return {address: one._model for address, one in self._trees() if one._model}

    def remember(self, names: Mapping[str, str], sources: Mapping[str, Provenance]) -> None:
        """Sets the catalogue names and the sources of values, both by address, if the text that it was read from does
        not contain them."""
        self._keep(sources)
        for address, one in self._trees():
            one._model = names.get(address, "")

    def _trees(self, address: str = "") -> Iterator[tuple[str, Tree]]:
        yield address, self
        for name, value in values(self).items():
            below = f"{address}.{name}" if address else name
            if isinstance(value, Tree):
                yield from value._trees(below)
            elif isinstance(value, tuple):
                several = [(number, one) for number, one in enumerate(value) if isinstance(one, Tree)]
                yield from (tree for number, one in several for tree in one._trees(f"{below}.{number}"))

    def addresses(self) -> dict[str, object]:
        """Every leaf's dotted address and value (in base units), lists by index."""
        found: dict[str, object] = {}
        _collect(self, "", found)
        return found

    def get(self, address: str) -> Any:
        """The value, or whole sub-spec, at an address, as `replace` accepts it: whole numbers are in base units, and
        marked as such (netsim.units.Exact). Raises ScenarioError with the nearest right address."""
        check_type("address", address, str, "a dotted address")
        value: Any = self
        for depth, part in enumerate(parts := address.split(".")):
            if isinstance(value, Tree) and part in names(type(value)):
                value = value.__dict__[part]
            elif isinstance(value, tuple) and part in _children(value):
                value = value[int(part)]
            else:
                raise _unknown(self, address, ".".join(parts[:depth]), value)
        return _exact(value)

    def provenance(self) -> dict[str, Provenance]:
        """Where the value at every address comes from."""
        return {address: source for address, _, source in self._leaves()}

    def own_provenance(self) -> dict[str, Provenance]:
        """Where the values of its own leaves come from, without those of nested specs."""
        return {address: source for address, _, source in self._leaves(nested=False)}

    def _leaves(self, nested: bool = True) -> Iterator[tuple[str, object, Provenance]]:
        cls, given_by_user, sources = type(self), self.model_fields_set, self._sources
        for name, value in values(self).items():
            given = SET_BY_USER if name in given_by_user else _default_source(cls, name)
            yield from _below(value, name, given, sources, nested)

    def beside(self, given: Container[str]) -> tuple[dict[str, object], dict[str, Provenance]]:
        """The fields that are not `given`, in a form that can be read again, and their sources. Fields with their
        default are left out, because they get it again, except those that may say which variant it is."""
        own, tags = self.model_fields_set, _tags(type(self))
        fields = {name: _exact(value) for name, value in values(self).items()
                  if name not in given and (name in own or name in tags or holds_trees(value))}  # fmt: skip
        defaults = {name: _default_source(type(self), name) for name in tags - own if name not in given}
        sources = {at: source for at, source in self._sources.items() if at.partition(".")[0] not in given}
        return fields, defaults | sources

    def unchecked(self, **fields: object) -> Self:
        """A copy with other fields, for code that knows that they are right: nothing is checked. What cached properties
        know of this spec is left behind, because it may be wrong of the copy."""
        copy = super().model_copy(update=fields)
        for known in copy.__dict__.keys() - names(type(self)):
            del copy.__dict__[known]
        return copy

    def _keep(self, sources: Mapping[str, Provenance]) -> None:
        """Keeps the sources of own leaves, and hands on those of leaves within nested specs."""
        own = self._sources  # access to pydantic's private attributes is slow
        for address, source in sources.items():
            owner, rest = _owner(self, address)
            if rest:
                (own if owner is self else owner._sources)[rest] = source


@cache
def names(cls: type[Tree]) -> tuple[str, ...]:
    """The fields of a class. They are needed so often that pydantic's own table would be too slow."""
    return tuple(cls.model_fields)


@cache
def _tags(cls: type[Tree]) -> frozenset[str]:
    """The fields that may say which variant it is."""
    return frozenset(name for name, field in cls.model_fields.items() if get_origin(field.annotation) is Literal)


def values(tree: Tree) -> dict[str, object]:
    """The fields as they are."""
    own = tree.__dict__
    return {name: own[name] for name in names(type(tree))}


def child(value: object, part: str) -> object:
    """The value at the next part of an address; None if there is none."""
    if isinstance(value, Tree):
        return value.__dict__.get(part)
    return value[int(part)] if isinstance(value, tuple) and part.isdigit() and int(part) < len(value) else None


def holds_trees(value: object) -> bool:
    """Whether a value is a tree, or a list of them."""
    return isinstance(value, Tree) or (isinstance(value, tuple) and any(isinstance(one, Tree) for one in value))


def _exact(value: object) -> object:
    """A value whose whole numbers are known to be in base units."""
    if isinstance(value, tuple) and any(type(one) is int for one in value):
        return tuple(map(_exact, value))
    return Exact(value) if type(value) is int else value


def _children(value: object) -> Mapping[str, object]:
    """The possible next parts of an address below a value, with their values."""
    if isinstance(value, Tree):
        return values(value)
    return {str(index): one for index, one in enumerate(value)} if isinstance(value, tuple) else {}


# ---- leaves and their sources ----


def _collect(value: object, address: str, found: dict[str, object]) -> None:
    """Puts every leaf at and below an address into `found`."""
    if isinstance(value, Tree):
        own, above = value.__dict__, f"{address}." if address else ""
        for name in names(type(value)):
            _collect(own[name], above + name, found)
    elif isinstance(value, tuple) and value:
        for index, one in enumerate(value):
            _collect(one, f"{address}.{index}", found)
    else:
        found[address] = value


def _below(
    value: object, address: str, given: Provenance, sources: Mapping[str, Provenance], nested: bool
) -> Iterator[tuple[str, object, Provenance]]:
    """The leaves at and below a field of a spec, each with its source from `sources`, or otherwise `given`. Leaves of
    specs in it are included only if `nested`."""
    given = sources.get(address, given)
    if isinstance(value, Tree):
        for below, leaf, source in value._leaves() if nested else ():
            yield f"{address}.{below}", leaf, given if _is_users(source) else source
    elif isinstance(value, tuple) and value:
        for index, one in enumerate(value):
            yield from _below(one, f"{address}.{index}", given, sources, nested)
    else:
        yield address, value, given


def _is_users(source: Provenance) -> bool:
    """Whether it is SET_BY_USER; one word is compared first, because nearly all are not."""
    return source.source == SET_BY_USER.source and source == SET_BY_USER


@cache
def _default_source(cls: type[Tree], name: str) -> Provenance:
    extra = cls.model_fields[name].json_schema_extra
    if isinstance(extra, Mapping) and "provenance" in extra:
        return Provenance.model_validate(extra["provenance"])
    return Provenance(kind="assumed", source=f"default of {cls.__name__}.{name}")


def _owner(tree: Tree, address: str) -> tuple[Tree, str]:
    """The innermost spec on the way to an address, and the rest of the way ("" if there is no leaf)."""
    if address in tree.__dict__:  # nearly always: a leaf of its own, or a spec that was given as a name
        return tree, "" if isinstance(tree.__dict__[address], Tree) else address
    value: object = tree
    local = ""
    for part in address.split("."):
        below = value.__dict__ if isinstance(value, Tree) else _children(value)
        if part not in below:  # a name that stood for a spec, or its key `model`
            return tree, ""
        value, local = below[part], f"{local}.{part}" if local else part
        if isinstance(value, Tree):
            tree, local = value, ""
    return tree, local


# ---- an address that does not exist ----


_CALLED = {"cpu": "processors", "cpus": "processors", "processor": "processors", "ram": "memory", "nic": "nics",
           "card": "nics", "cards": "nics", "os": "system", "cable": "link"}  # words that users use  # fmt: skip


def _unknown(root: Tree, address: str, container: str, value: object) -> ScenarioError:
    """The error for an address that does not exist; its existing part is `container`."""
    if isinstance(value, tuple):
        allowed = f"0 to {len(value) - 1}" if value else "nothing, it is empty"
        return ScenarioError(f"no such index; allowed: {allowed}", address=address)
    if not (below := _children(value)):
        return ScenarioError(f"no such address; there is nothing below {container}", address=address)
    beside = [f"{container}.{name}" if container else name for name in below]
    called = address.rpartition(".")[2].lower()
    if meant := [one for one in beside if one.rpartition(".")[2] == _CALLED.get(called)]:
        return ScenarioError(f'no such address (did you mean "{meant[0]}"?)', address=address)
    elsewhere = [known for known in _known(root) if not address.startswith(f"{known}.")]
    return ScenarioError(f"no such address{near_miss(address, elsewhere) or nearest(address, beside)}", address=address)


def _known(tree: Tree) -> list[str]:
    """Every address, of leaves and of whole sub-specs."""
    leaves = [address.split(".") for address in tree.addresses()]
    return list(dict.fromkeys(".".join(parts[: depth + 1]) for parts in leaves for depth in range(len(parts))))
