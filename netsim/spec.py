"""Spec: an immutable, validated description in which every number has one dotted address.

    pc.get("nics.0.driver.rx_cycles")        pc.replace("nics.0.driver.rx_cycles", 5000)

A spec can be compared, hashed, written to TOML and read back. Where its numbers come from rides along (`provenance`)
but is no part of what it is: two specs with the same numbers are equal. Every mistake is a ScenarioError of one line.
"""

from __future__ import annotations

import hashlib
import json
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, overload

import tomli_w
from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from netsim import catalog
from netsim.catalog import Provenance, Sourced, split
from netsim.errors import ScenarioError, near_miss, nearest, scenario_error, show

SET_BY_USER = Provenance(kind="assumed", source="set by the user")
NONE = "none"  # what TOML, which has no word for it, calls None


class Spec(BaseModel):
    """Base of every description. `catalogue` names the folder of models/ in which names for this class stand."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    catalogue: ClassVar[str] = ""

    _sources: dict[str, Provenance] = PrivateAttr(default_factory=dict)  # of own leaves, as far as given

    # ---- built from data, names and files ----

    def __init__(self, /, **data: Any) -> None:
        """Checks every value. Raises ScenarioError."""
        with _one_line():
            super().__init__(**data)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # nested specs needn't come through here

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """A spec from nested tables, a name, or a spec (as it is). Raises ScenarioError."""
        with _one_line():
            return super().model_validate(obj, **options)

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The spec a catalogue name stands for; a class without names of its own refuses. Raises ScenarioError."""
        if not cls.catalogue:
            raise _no_table(cls, name)
        return cls.from_catalog(cls.catalogue, name)

    @classmethod
    def from_catalog(cls, kind: str, name: str, **more: Any) -> Self:
        """The spec in models/<kind>/<name>.toml, with `more` fields laid over. Raises ScenarioError naming the file."""
        data, sources = catalog.read(kind, name)
        try:
            spec = cls.model_validate(data | more)
        except ScenarioError as error:
            given = error.address.partition(".")[0] in more
            raise error.at(file="" if given else catalog.file_of(kind, name, error.address)) from None
        spec._keep({at: source for at, source in sources.items() if at.partition(".")[0] not in more})
        return spec

    @classmethod
    def from_toml(cls, source: str | Path) -> Self:
        """A spec from TOML text or from a file (a Path, or one line ending in ".toml"). Raises ScenarioError."""
        if isinstance(source, str) and ("\n" in source or not source.endswith(".toml")):
            return cls.model_validate(catalog.parse_toml(source))
        tables = catalog.read_toml(Path(source))
        try:
            return cls.model_validate(tables)
        except ScenarioError as error:
            raise error.at(file=source) from None

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """One level: a spec stays as it is, a name is looked up, a table is read and its sources kept."""
        if isinstance(data, cls):
            return data
        if isinstance(data, str):
            return cls.from_name(data)
        if not isinstance(data, Mapping):
            raise _no_table(cls, data)
        clean, sources = split(data)
        if "model" in clean and "model" not in cls.model_fields:
            base = cls.model_validate(clean.pop("model"))
            clean, inherited = split(_laid_over(base, clean))
            sources = inherited | sources
        try:
            spec = handler({key: cls._spelled(key, value) for key, value in clean.items()})
        except ValidationError as error:
            raise scenario_error(error, cls.model_fields) from None
        spec._keep(sources)
        return spec

    # ---- one address per number ----

    def addresses(self) -> dict[str, object]:
        """Every leaf's dotted address and value (in base units), lists by index."""
        return {address: value for address, value, _ in self._leaves()}

    def get(self, address: str) -> Any:
        """The value, or whole sub-spec, at an address. Raises ScenarioError with the nearest right address."""
        value: Any = self
        for depth, part in enumerate(parts := address.split(".")):
            below = _children(value)
            if part not in below:
                raise _unknown(self, address, ".".join(parts[:depth]), value)
            value = below[part]
        return value

    @overload
    def replace(self, address: Mapping[str, object]) -> Self: ...

    @overload
    def replace(self, address: str, value: object) -> Self: ...

    def replace(self, address: str | Mapping[str, object], value: object = ...) -> Self:
        """A checked copy with another value at an address: `replace(address, value)` or `replace({address: value})`.

        Several changes are checked together, whole sub-specs before what lies inside them. Another tag (`policy`) makes
        another variant, with that one's defaults. Raises ScenarioError.
        """
        changes = dict(address) if isinstance(address, Mapping) else {address: value}
        inner = {one for one in changes if any(one.startswith(f"{other}.") for other in changes)}
        first = {one: new for one, new in changes.items() if one not in inner}
        for one in first:
            self.get(one)
        spec = type(self).model_validate(_changed(self, first)) if first else self
        return spec.replace({one: changes[one] for one in changes if one in inner}) if inner else spec

    def provenance(self) -> dict[str, Provenance]:
        """Where the value at every address comes from."""
        return {address: source for address, _, source in self._leaves()}

    # ---- as one thing ----

    def digest(self) -> str:
        """SHA-256 (hex) of all addresses and values: the same in every process, whatever the provenance."""
        text = json.dumps(self.addresses(), sort_keys=True, separators=(",", ":"), default=_canonical)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def hash12(self) -> str:
        """The first 12 digits of the digest, for people."""
        return self.digest()[:12]

    def to_toml(self) -> str:
        """TOML that `from_toml` reads back to an equal spec."""
        return tomli_w.dumps(_without_none(self))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Spec) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self), *_values(self).values()))

    if not TYPE_CHECKING:  # else mypy would take every assignment for allowed

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_"):
                raise ScenarioError(f'a {type(self).__name__} never changes; use replace("{name}", ...)', address=name)
            super().__setattr__(name, value)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return _written(self).items()

    # ---- within ----

    @classmethod
    def _spelled(cls, name: str, value: object) -> object:
        return _spelled(cls.model_fields[name].annotation, value) if name in cls.model_fields else value

    def _leaves(self) -> Iterator[tuple[str, object, Provenance]]:
        for name, value in _values(self).items():
            given = SET_BY_USER if name in self.model_fields_set else _default_source(type(self), name)
            yield from _below(value, name, given, self._sources)

    def _keep(self, sources: Mapping[str, Provenance]) -> None:
        """Keeps the sources of own leaves, and hands on those of leaves within nested specs."""
        for address, source in sources.items():
            owner, rest = _owner(self, address)
            if rest:
                owner._sources[rest] = source

    def _data(self) -> dict[str, object]:
        """The fields as data that reads back: leaves as text with their sources, nested specs as they are."""
        source = {address: one for address, _, one in self._leaves()}
        return {name: _with_sources(value, name, source) for name, value in _written(self).items()}


@contextmanager
def _one_line() -> Iterator[None]:
    """pydantic's report as a ScenarioError, at the outermost level."""
    try:
        yield
    except ValidationError as error:
        raise scenario_error(error) from None


def _no_table(cls: type[Spec], value: object) -> ScenarioError:
    keys = ", ".join(cls.model_fields) or "no keys"
    return ScenarioError(f"{show(value)} is not a {cls.__name__}; allowed: a table with {keys}")


def _canonical(value: object) -> object:
    """A leaf that JSON has no word for; a set in one order, whatever the hash seed."""
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)


# ---- a spec as a tree ----


def _values(spec: Spec) -> dict[str, object]:
    return {name: spec.__dict__[name] for name in type(spec).model_fields}


def _children(value: object) -> Mapping[str, object]:
    """What an address can go on with below a value."""
    if isinstance(value, Spec):
        return _values(value)
    return {str(index): one for index, one in enumerate(value)} if isinstance(value, tuple) else {}


def _below(
    value: object, address: str, given: Provenance, sources: Mapping[str, Provenance]
) -> Iterator[tuple[str, object, Provenance]]:
    """The leaves at and below a field of a spec with these sources; `given` holds where they say nothing."""
    given = sources.get(address, given)
    if isinstance(value, Spec):
        for below, leaf, source in value._leaves():
            yield f"{address}.{below}", leaf, given if source == SET_BY_USER else source
    elif isinstance(value, tuple) and value:
        for index, one in enumerate(value):
            yield from _below(one, f"{address}.{index}", given, sources)
    else:
        yield address, value, given


@cache
def _default_source(cls: type[Spec], name: str) -> Provenance:
    extra = cls.model_fields[name].json_schema_extra
    if isinstance(extra, Mapping) and "provenance" in extra:
        return Provenance.model_validate(extra["provenance"])
    return Provenance(kind="assumed", source=f"default of {cls.__name__}.{name}")


def _owner(spec: Spec, address: str) -> tuple[Spec, str]:
    """The innermost spec on the way to an address, and the rest of the way ("" if there is no leaf)."""
    value: object = spec
    local = ""
    for part in address.split("."):
        below = _children(value)
        if part not in below:  # a name that stood for a spec, or its key `model`
            return spec, ""
        value, local = below[part], f"{local}.{part}" if local else part
        if isinstance(value, Spec):
            spec, local = value, ""
    return spec, local


def _unknown(root: Spec, address: str, container: str, value: object) -> ScenarioError:
    """Nothing stands at an address, whose existing part is `container`."""
    if isinstance(value, tuple):
        allowed = f"0 to {len(value) - 1}" if value else "nothing, it is empty"
        return ScenarioError(f"no such index; allowed: {allowed}", address=address)
    if not (below := _children(value)):
        return ScenarioError(f"no such address; nothing lies below {container}", address=address)
    beside = [f"{container}.{name}" if container else name for name in below]
    elsewhere = [known for known in _known(root) if not address.startswith(f"{known}.")]
    return ScenarioError(f"no such address{near_miss(address, elsewhere) or nearest(address, beside)}", address=address)


def _known(spec: Spec) -> list[str]:
    """Every address, of leaves and of whole sub-specs."""
    leaves = [address.split(".") for address in spec.addresses()]
    return list(dict.fromkeys(".".join(parts[: depth + 1]) for parts in leaves for depth in range(len(parts))))


# ---- a spec as data that reads back ----


def _written(spec: Spec) -> dict[str, Any]:
    """The fields with leaves as text with a unit, nested specs as they are."""
    values = _values(spec)
    nested = {name for name, value in values.items() if _is_nested(value)}
    leaves = spec.model_dump(mode="json", exclude=nested)
    return {name: value if name in nested else leaves[name] for name, value in values.items()}


def _is_nested(value: object) -> bool:
    return isinstance(value, Spec) or (isinstance(value, tuple) and any(map(_is_nested, value)))


def _with_sources(value: object, address: str, sources: Mapping[str, Provenance]) -> object:
    if isinstance(value, Spec):
        return value
    if isinstance(value, list | tuple) and value:
        return [_with_sources(one, f"{address}.{index}", sources) for index, one in enumerate(value)]
    return Sourced(value, sources[address])


def _without_none(value: Any, annotation: object = None) -> Any:
    """Written fields, all the way down, as TOML can say them."""
    if isinstance(value, Spec):
        fields = type(value).model_fields
        table = {name: _without_none(one, fields[name].annotation) for name, one in _written(value).items()}
        return {name: one for name, one in table.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_without_none(one) for one in value]
    return NONE if value is None and _spelled(annotation, NONE) is None else value


def _changed(data: Any, changes: Mapping[str, object]) -> Any:
    """Data with changes made at addresses below it, to be validated again."""
    if "" in changes:
        return changes[""]
    below: dict[str, dict[str, object]] = {}
    for address, value in changes.items():
        head, _, rest = address.partition(".")
        below.setdefault(head, {})[rest] = value
    if not isinstance(data, Spec):
        return [_changed(one, below[str(index)]) if str(index) in below else one for index, one in enumerate(data)]
    own = data._data()
    kept = {} if _is_other_variant(data, {head: rest.get("") for head, rest in below.items()}) else own
    return kept | {head: _changed(own[head], rest) for head, rest in below.items()}


def _is_other_variant(spec: Spec, values: Mapping[str, object]) -> bool:
    """Whether values have another tag than the spec."""
    fields = type(spec).model_fields
    tags = [name for name in values if name in fields and _is_tag(fields[name].annotation)]
    return any(getattr(spec, name) != split(values[name])[0] for name in tags)


def _laid_over(below: Any, above: Any) -> Any:
    """A spec with a user's table laid over it, as data; a name or another variant takes its place altogether."""
    if not (isinstance(below, Spec) and isinstance(above, Mapping)) or "model" in above:
        return above
    if _is_other_variant(below, above):
        return above
    values = _values(below)
    return below._data() | {key: _laid_over(values.get(key), value) for key, value in above.items()}


# ---- short spellings: "none" for None, a variant by its tag alone ----


def _spelled(annotation: object, text: object) -> object:
    """What a text stands for where `annotation` is expected; other values stand for themselves."""
    if not isinstance(text, str):
        return text
    members = list(_members(annotation))
    variants = [one for one in members if isinstance(one, type) and issubclass(one, Spec)]
    for variant in variants if len(variants) > 1 else []:
        for name, field in variant.model_fields.items():
            if _is_tag(field.annotation) and text in get_args(field.annotation):
                return {name: text}
    as_it_is = str in members or any(text in get_args(one) for one in members if get_origin(one) is Literal)
    return None if text == NONE and type(None) in members and not as_it_is else text


def _members(annotation: object) -> Iterator[object]:
    """The members of a union, however nested and annotated."""
    if get_origin(annotation) is Annotated:
        yield from _members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for one in get_args(annotation):
            yield from _members(one)
    else:
        yield annotation


def _is_tag(annotation: object) -> bool:
    """A Literal of one word tells a variant from the others."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1
