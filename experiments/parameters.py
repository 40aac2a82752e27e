"""The numbers of models/ that rows rest on, each counted once however many rows and hosts it stands in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from experiments.row import Row
from netsim import catalog
from netsim.catalog import NOTES, Overlay, Provenance, Sourced

KINDS: tuple[str, ...] = get_args(Provenance.model_fields["kind"].annotation)


@dataclass(frozen=True)
class Used:
    """A number of models/: `name` such as "drivers/tulip:tx_cycles", its value as it stands there, its source."""

    name: str
    text: str
    provenance: Provenance


def used(rows: Iterable[Row]) -> list[Used]:
    """What the scenarios of these rows take from models/, by name.

    Every number is read with its own name for a source, so that the scenario's provenance says which ones it took.
    """
    numbers = _everything()
    names: set[str] = set()
    with catalog.overlay(_names_for_sources()):
        for row in rows:
            names |= {source.source for source in row.build().provenance().values()} & numbers.keys()
    return [numbers[name] for name in sorted(names)]


def counts(numbers: Iterable[Used]) -> dict[str, int]:
    """How many there are of each kind of provenance."""
    found: Counter[str] = Counter(one.provenance.kind for one in numbers)
    return {kind: found[kind] for kind in KINDS}


def _everything() -> dict[str, Used]:
    """Every number that says where it comes from, as its own file has it (what it inherits stands in its base)."""
    return {
        f"{kind}/{name}:{address}": Used(f"{kind}/{name}:{address}", _text(value), source)
        for kind, name, address, value, source in _sourced()
    }


def _sourced() -> Iterator[tuple[str, str, str, object, Provenance]]:
    for kind in catalog.kinds():
        for name in catalog.names(kind):
            tables = catalog.read_toml(catalog.path(kind, name))
            plain, sources = catalog.split({key: value for key, value in tables.items() if key not in NOTES})
            for address, source in sources.items():
                yield kind, name, address, _at(plain, address), source


def _names_for_sources() -> Overlay:
    overlay: dict[tuple[str, str], dict[str, object]] = {}
    for kind, name, address, value, _ in _sourced():
        label = Provenance(kind="assumed", source=f"{kind}/{name}:{address}")
        overlay.setdefault((kind, name), {})[address] = Sourced(value, label)
    return overlay


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _at(data: object, address: str) -> object:
    for part in address.split("."):
        data = data[int(part)] if isinstance(data, list) else data[part]  # type: ignore[index]
    return data
