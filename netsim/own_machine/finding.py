"""The faults of a machine: each with its place, its effect in numbers, and its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netsim.catalog import Provenance
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.spec import SET_BY_USER
from netsim.spec.named_table import by_name

UNKNOWN = "not known: no closed form covers the processors' cost of a frame"


@dataclass(frozen=True)
class Finding:
    """One fault or recommendation. `gain` is the effect of the remedy by closed form, or the reason why it is not
    known; `factor` is the corresponding ratio: 1 if it is not known, 0 if this machine would notice no effect.
    `limits`: it keeps the adapter below its wire's rate. `changes` are the values that the machine would then report,
    by address, as far as a simulation of streams knows them."""

    part: str
    what: str
    where: str
    why: str
    remedy: str
    gain: str = UNKNOWN
    factor: float = 1.0
    limits: bool = False
    changes: Mapping[str, object] = field(default_factory=dict)


class Subject:
    """An adapter, with the sources of its values."""

    def __init__(self, machine: ImportedMachine, name: str) -> None:
        self.name, self.part = name, f"adapters.{name}"
        self.machine = machine
        self.adapter: AdapterFound = by_name(machine.adapters, AdapterFound)[name]
        self._sources = machine.provenance()

    def source(self, name: str) -> Provenance:
        """The source of a value."""
        return self._sources[f"{self.part}.{name}"]

    def where(self, *names: str) -> str:
        """The files and lines of these values."""
        each = [self.source(name) for name in names]
        return ", ".join(dict.fromkeys(one.source or one.reason for one in each))

    def changes(self, **values: object) -> dict[str, object]:
        """Other values by their addresses ("__" represents ".")."""
        return {f"{self.part}.{name.replace('__', '.')}": value for name, value in values.items()}

    def read(self, *names: str) -> bool:
        """Whether all of these were read or later set by the user, and none was assumed."""
        each = [self.source(name) for name in names]
        return all(one.kind == "imported" or one == SET_BY_USER for one in each)


def gbit(rate: float) -> str:
    """A rate with three digits."""
    return f"{rate / 1e9:.3g} Gbit/s"


_UNITS = ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"))


def lasting(seconds: float) -> str:
    """A time with three digits."""
    size, unit = next((size, unit) for size, unit in _UNITS if seconds < 1000 * size or unit == "ms")
    return f"{seconds / size:.3g} {unit}"
