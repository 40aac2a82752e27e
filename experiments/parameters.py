"""The numbers of models/ that rows rest on, each counted once, however many rows and hosts use it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from experiments.row import Row
from netsim import catalog
from netsim.catalog import NOTES, Overlay, Provenance, Sourced
from netsim.catalog.provenance import MODEL_KINDS

KINDS: tuple[str, ...] = MODEL_KINDS
# The unit of plain numbers, by the last word of their addresses.
COUNTED = {name: name for name in ("clocks", "copies", "cycles", "frames", "reads", "retries", "writes")} | {
    "ring": "frames", "queue": "frames", "backlog": "frames", "latency": "clocks", "cpi": "times", "factor": "times",
}  # fmt: skip


@dataclass(frozen=True)
class Used:
    """A number of models/: `name` such as "drivers/tulip:tx_cycles", its value as written there, its source, and the
    `reports` whose rows use it."""

    name: str
    text: str
    provenance: Provenance
    reports: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Its file: "models/drivers/tulip.toml"."""
        return f"models/{self.name.partition(':')[0]}.toml"

    @property
    def address(self) -> str:
        """Its address in the file: "tx_cycles"."""
        return self.name.partition(":")[2]

    @property
    def unit(self) -> str:
        """The unit given with the value, or implied by the last word of its address; "" for names and switches."""
        number, _, unit = self.text.partition(" ")
        counted = self.address.rpartition(".")[2].rpartition("_")[2]
        return unit or (COUNTED.get(counted, "") if number.replace(".", "").isdigit() else "")

    @property
    def value(self) -> str:
        """The value without its unit."""
        return self.text.removesuffix(self.unit).strip()

    @property
    def range(self) -> str:
        """Its range, such as "100 to 400 ns"; "" if it has none."""
        if self.provenance.range is None:
            return ""
        low, high = (one if isinstance(one, str) else f"{one:.10g}" for one in self.provenance.range)
        unit = high.partition(" ")[2]
        return f"{low.removesuffix(unit).strip()} to {high}" if unit else f"{low} to {high} {self.unit}".strip()


def used(rows: Iterable[Row]) -> list[Used]:
    """The numbers that the scenarios of these rows take from models/, by name.

    Every number is read with its own name as its source, so that a scenario's provenance says which ones it uses.
    """
    numbers = _everything()
    reports: dict[str, list[str]] = {}
    with catalog.overlay(names_for_sources()):
        for row in rows:
            for name in {source.source for source in row.build().provenance().values()} & numbers.keys():
                reports.setdefault(name, []).append(row.report)
    return [replace(numbers[name], reports=tuple(dict.fromkeys(reports[name]))) for name in sorted(reports)]


def counts(numbers: Iterable[Used]) -> dict[str, int]:
    """How many numbers there are of each kind of provenance."""
    found: Counter[str] = Counter(one.provenance.kind for one in numbers)
    return {kind: found[kind] for kind in KINDS}


def _everything() -> dict[str, Used]:
    """Every number with a provenance, as written in its own file (inherited ones are in the base)."""
    return {
        f"{category}/{name}:{address}": Used(f"{category}/{name}:{address}", _text(value), source)
        for category, name, address, value, source in _sourced()
    }


def _sourced() -> Iterator[tuple[str, str, str, object, Provenance]]:
    for category in catalog.categories():
        for name in catalog.names(category):
            tables = catalog.read_toml(catalog.path(category, name))
            plain, sources = catalog.split({key: value for key, value in tables.items() if key not in NOTES})
            for address, source in sources.items():
                yield category, name, address, _at(plain, address), source


def names_for_sources() -> Overlay:
    """Every number unchanged, but with its own name as its source."""
    overlay: dict[tuple[str, str], dict[str, object]] = {}
    for category, name, address, value, _ in _sourced():
        label = Provenance(kind="assumed", source=f"{category}/{name}:{address}")
        overlay.setdefault((category, name), {})[address] = Sourced(value, label)
    return overlay


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _at(data: object, address: str) -> object:
    for part in address.split("."):
        data = data[int(part)] if isinstance(data, list) else data[part]  # type: ignore[index]
    return data
