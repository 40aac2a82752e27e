"""The base of every description: built from data, names and files, changed only as a copy, compared as a whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, overload

import tomli_w
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, core_schema

from netsim import catalog
from netsim.catalog.provenance import Unchanged, split
from netsim.catalog.toml_file import parse_toml, read_toml
from netsim.errors import ScenarioError, check_type, path_of, scenario_error, show
from netsim.spec.changes import above, changed, in_other_variant, joined, laid_over, laid_together, scaled
from netsim.spec.naming import keep_names, laid_addresses
from netsim.spec.spelling import is_tag, spelling
from netsim.spec.tree import Tree, names, values
from netsim.spec.variants import variant
from netsim.spec.written import as_toml, written
from netsim.units import QUANTITIES

_MOST = int(QUANTITIES["parts"].highest)  # entries of a list


class Unfinished(dict[str, Any]):
    """Data of a spec over which others are to be laid, so that the rules for its parts together don't apply yet."""


class Spec(Tree):
    """Base of every description. `catalogue` is the folder of models/ that has the names for this class; `tag` is the
    field that distinguishes the subclasses of an abstract class; `positional` lists the fields that can be given by
    position, in this order."""

    catalogue: ClassVar[str] = ""
    tag: ClassVar[str] = ""
    positional: ClassVar[tuple[str, ...]] = ()

    # ---- built from data, names and files ----

    def __init__(self, /, *given: Any, **data: Any) -> None:
        """Checks every value. Raises ScenarioError."""
        with _one_line():
            super().__init__(**_named(type(self), given, data) if given else data)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # nested specs needn't come through here

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """A spec from nested tables, from a name, or from a spec, which is returned as it is. Raises ScenarioError."""
        with _one_line():
            return super().model_validate(obj, **options)

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The spec with a catalogue name. Raises ScenarioError, also if the class has no names in the catalogue."""
        if not cls.catalogue:
            raise _no_table(cls, name)
        return cls.from_catalog(cls.catalogue, name)

    @classmethod
    def from_catalog(cls, category: str, name: str, **more: Any) -> Self:
        """models/<category>/<name>.toml, with the fields in `more` laid over it. Raises ScenarioError naming the
        file."""
        return cls._from_catalog(category, name, more)

    @classmethod
    def _from_catalog(
        cls, category: str, name: str, more: dict[str, Any], kind: type[dict[str, Any]] = dict
    ) -> Self:
        """The same, from data of this kind."""
        check_type(category, name, str, "the name of one")
        data, sources = catalog.read(category, name)
        try:
            spec = cls.model_validate(kind(data | more))
        except ScenarioError as error:
            given = error.address.partition(".")[0] in (*more, *cls.kept)
            raise error.at(file="" if given else catalog.file_of(category, name, error.address)) from None
        spec._keep({at: source for at, source in sources.items() if at.partition(".")[0] not in more})
        spec._model = f"{category}/{name}"
        return spec

    @classmethod
    def from_toml(cls, source: str | Path) -> Self:
        """A spec from TOML text or from a file (a Path, or one line ending in ".toml"). Raises ScenarioError."""
        if isinstance(source, str) and ("\n" in source or not source.endswith(".toml")):
            return cls.model_validate(parse_toml(source))
        tables = read_toml(path_of("source", source))
        try:
            return cls.model_validate(tables)
        except ScenarioError as error:
            raise error.at(file=source) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Put `_read` around all rules of a class, so that they are not checked again for an existing spec. A field of
        another class only refers to them, so that they are compiled once, and only if they are needed; but pydantic
        looks into those of variants for their tags."""
        if handler.field_name is not None and not any(is_tag(field.annotation) for field in cls.model_fields.values()):
            return core_schema.no_info_plain_validator_function(cls.model_validate)
        return core_schema.no_info_wrap_validator_function(cls._read, handler(source))

    @classmethod
    def _read(cls, data: Any, handler: ValidatorFunctionWrapHandler) -> Self:
        """One level: a spec stays as it is, a name is looked up, a table is read and its sources kept."""
        if isinstance(data, cls):
            return data
        if isinstance(data, str) or (type(data) is int and cls.catalogue):  # a name may be a number: 82599
            return cls.from_name(str(data))
        if not isinstance(data, Mapping):
            raise _no_table(cls, data)
        clean, sources = split(data)
        base, laid = None, clean
        if "model" in clean and "model" not in cls.model_fields:
            base = cls._base(clean)
            clean, inherited = split(laid_over(base, clean))
            sources = inherited | sources
        try:
            if (own := variant(cls, cls.tag, clean)) is not cls:
                spec = own.model_validate(clean)
            else:
                spec = cast(Self, handler({key: _spelled(cls, key, value) for key, value in clean.items()}))
        except ValidationError as error:
            raise scenario_error(error, cls.model_fields) from None
        if sources:
            spec._keep(sources)
        if isinstance(data, Unchanged):
            spec._model = spec._model or data.name
        if base is not None:
            keep_names(base, spec, laid_addresses(laid))
        return spec

    @classmethod
    def _base(cls, table: dict[str, Any]) -> Self:
        """The spec that a table with a `model` is laid over; the keys that it is made of are removed from the table."""
        return cls.model_validate(table.pop("model"))

    # ---- changed as a copy ----

    @overload
    def replace(self, address: Mapping[str, object]) -> Self: ...

    @overload
    def replace(self, address: str, value: object) -> Self: ...

    def replace(self, address: str | Mapping[str, object], value: object = ...) -> Self:
        """A checked copy with another value at an address: `replace(address, value)` or `replace({address: value})`.

        Several changes are made and checked together, whole sub-specs before the values inside them. Another tag
        (`policy`, `standard`) selects another variant, with the defaults of that variant, to which the changes beside
        it apply. Raises ScenarioError.
        """
        if value is ... and isinstance(address, str):
            raise ScenarioError("a value is missing; allowed: replace(address, value)", address=address)
        given = {self._place(one): new for one, new in _by_address(address, value).items()}
        changes = laid_together(self, joined(self, given))
        inner = {one for one in changes if not changes.keys().isdisjoint(above(one))}
        first = {one: new for one, new in changes.items() if one not in inner}
        for one in first:
            if not in_other_variant(self, one, first):
                self.get(one)
        spec = type(self).model_validate(changed(self, first)) if first else self
        keep_names(self, spec, first)
        return spec.replace({one: changes[one] for one in changes if one in inner}) if inner else spec

    def _place(self, address: str) -> str:
        """An address; "receiver.model" is that of the receiver itself, as in a file."""
        whole, _, name = address.rpartition(".")
        named = whole and name == "model" and isinstance(one := self.get(whole), Spec) and "model" not in values(one)
        return whole if named else address

    @overload
    def scale(self, address: Mapping[str, float]) -> Self: ...

    @overload
    def scale(self, address: str, factor: float) -> Self: ...

    def scale(self, address: str | Mapping[str, float], factor: float = 1.0) -> Self:
        """A checked copy with a multiple of the number at an address: `scale(address, factor)` or
        `scale({address: factor})`. Whole numbers are multiplied exactly, and rounded half to even. Raises
        ScenarioError, also if there is no number."""
        factors = _by_address(address, factor)
        return self.replace({one: self._scaled(one, by) for one, by in factors.items()})

    def _scaled(self, address: str, factor: float) -> float:
        value = self.get(address)
        try:
            return scaled(value, factor)
        except ScenarioError as error:
            raise error.at(address) from None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """pydantic's way to copy, but checked: what it is to `update` is replaced. Raises ScenarioError."""
        return self.replace(update) if update else super().model_copy(deep=deep)

    # ---- as a whole ----

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
        return tomli_w.dumps(as_toml(self))

    def describe(self) -> str:
        """A line for each value: its address, the value with its unit, and the kind of its source."""
        from netsim.show import spec_view

        return spec_view.listing(self)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        from netsim.show import spec_view

        return spec_view.html(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Spec) and values(self) == values(other)

    def __hash__(self) -> int:
        return hash((type(self), *values(self).values()))

    if not TYPE_CHECKING:  # otherwise mypy would allow every assignment, and take `dict` for this method

        def copy(self, **how: Any) -> Self:
            """The same as model_copy; pydantic's own would check nothing."""
            return self.model_copy(**how)

        def dict(self, **how: Any) -> dict[str, Any]:
            """The same as model_dump."""
            return self.model_dump(**how)

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_"):
                text = f'this {type(self).__name__} never changes; use replace("{name}", ...)'
                raise ScenarioError(text, address=name)
            super().__setattr__(name, value)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return written(self).items()


def _by_address(address: object, value: Any) -> dict[str, Any]:
    """Values by address, for one address or several. Raises ScenarioError for anything that is not an address."""
    for one in address if isinstance(address, Mapping) else [address]:
        check_type("address", one, str, "a dotted address")
    return {**address} if isinstance(address, Mapping) else {str(address): value}


@contextmanager
def _one_line() -> Iterator[None]:
    """pydantic's report as a ScenarioError, at the outermost level."""
    try:
        yield
    except ValidationError as error:
        raise scenario_error(error) from None
    except RecursionError:
        raise ScenarioError("nested too deeply; allowed: tables as deep as a scenario's") from None


def _named(cls: type[Spec], given: Sequence[object], data: Mapping[str, object]) -> dict[str, object]:
    """Positional and named values, all by name. Raises ScenarioError for too many, or for one given twice."""
    names = cls.positional[: len(given)]
    if len(given) > len(names):
        allowed = ", ".join(cls.positional) or "none"
        raise ScenarioError(f"{len(given)} unnamed values are too many for {cls.__name__}; allowed: {allowed}")
    if twice := [name for name in names if name in data]:
        raise ScenarioError("given twice, by position and by name; allowed: once", address=twice[0])
    return {**dict(zip(names, given, strict=True)), **data}


def _spelled(cls: type[Spec], name: str, value: object) -> object:
    if isinstance(value, str):
        return spelling(cls, name)(value) if name in names(cls) else value
    if isinstance(value, list | tuple) and len(value) > _MOST:
        raise ScenarioError(f"{len(value)} are too many; allowed: up to {_MOST}", address=name)
    return value


def _no_table(cls: type[Spec], value: object) -> ScenarioError:
    keys = ", ".join(cls.model_fields) or "no keys"
    return ScenarioError(f"{show(value)} is not a valid {cls.__name__}; allowed: a table with {keys}")


def _canonical(value: object) -> object:
    """A leaf that JSON can't write, in a form that it can; a set is sorted, whatever the hash seed."""
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
