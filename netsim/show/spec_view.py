"""A spec for human readers: its name, the values that the user has set, and each value with its unit and its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from netsim import catalog
from netsim.catalog.provenance import Provenance
from netsim.show.html import render
from netsim.spec.spelling import NONE
from netsim.spec.tree import SET_BY_USER, Tree, values
from netsim.spec.written import written
from netsim.units import Quantity

SET = "set here"  # label of the user's own values
_FEW = 30  # up to this number, values are not folded away
_SOME = 8  # up to this number, all entries of a list are shown


class Leaf(NamedTuple):
    """A value as text with its unit, and its source; `default` is that of its field."""

    address: str
    value: str
    source: Provenance
    default: bool

    @property
    def is_users(self) -> bool:
        """Whether the user has set it, and to a value that differs from the default."""
        return self.source == SET_BY_USER and not self.default


def html(spec: Tree, parts: Mapping[str, Sequence[str]] | None = None) -> str:
    """Its title, the `parts` that it consists of (texts by name; otherwise only the user's settings), and all values,
    in a folded section if there are many."""
    own = leaves(spec)
    shown = {SET: set_here(spec)} if parts is None else parts
    rows = [(name, text) for name, texts in shown.items() for text in texts]
    return render("spec.html", title=title(spec) or type(spec).__name__, rows=rows, leaves=own, few=len(own) <= _FEW)


def listing(spec: Tree) -> str:
    """All values, one per line."""
    rows = [(leaf.address, leaf.value, SET if leaf.is_users else leaf.source.kind) for leaf in leaves(spec)]
    address, value, _ = (max(map(len, column), default=0) for column in zip(*rows, strict=True))
    return "\n".join(f"{one:<{address}}  {text:<{value}}  {source}" for one, text, source in rows)


def set_here(spec: Tree) -> list[str]:
    """The user's settings, with their addresses."""
    return [f"{leaf.address} = {leaf.value}" for leaf in leaves(spec) if leaf.is_users]


def title(spec: Tree) -> str:
    """The title of its file in models/, or else its name there; "" for a spec without a file."""
    if not spec.catalogue_name:
        return ""
    category, _, name = spec.catalogue_name.partition("/")
    return catalog.notes(category, name)["title"] or name


def described(spec: Tree) -> str:
    """Its title, or else those of its parts, or else its values."""
    if own := title(spec):
        return own
    below = [described(one) for one in values(spec).values() if isinstance(one, Tree)]
    return ", ".join(below or (f"{leaf.address} {leaf.value}" for leaf in leaves(spec)))


def leaves(spec: Tree) -> list[Leaf]:
    """Every value at and below a spec; a list of values is one value."""
    return list(_leaves(spec, "", spec.provenance()))


def _leaves(spec: Tree, above: str, sources: Mapping[str, Provenance]) -> Iterator[Leaf]:
    for name, value in written(spec).items():
        address = f"{above}{name}"
        below = value if isinstance(value, tuple) and any(isinstance(one, Tree) for one in value) else (value,)
        for number, one in enumerate(below):
            at = f"{address}.{number}" if below is value else address
            if isinstance(one, Tree):
                yield from _leaves(one, f"{at}.", sources)
            else:
                source = sources.get(address) or sources[f"{address}.0"]
                default = spec.__dict__[name] == type(spec).model_fields[name].default
                yield Leaf(address, _text(one, _quantity(spec, name)), source, default)


def _quantity(spec: Tree, name: str) -> str:
    """The quantity (netsim.units.QUANTITIES) of a field; "" for none."""
    return next((one.name for one in type(spec).model_fields[name].metadata if isinstance(one, Quantity)), "")


def _text(value: object, quantity: str) -> str:
    """A value as written; clocks have no unit there."""
    match value:
        case None:
            return NONE
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            shown = [_text(one, quantity) for one in value]
            return ", ".join(shown if len(shown) <= _SOME else [*shown[:3], "...", shown[-1]]) or NONE
    return f"{value} clocks" if quantity in ("clocks", "retry_clocks", "latency_timer") else str(value)
