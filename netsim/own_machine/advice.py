"""What is wrong with a machine, what would help most, and how near a measured run comes to its bound."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from netsim.errors import path_of
from netsim.own_machine.finding import Finding, Subject
from netsim.own_machine.host_findings import interrupt_findings, kernel_findings
from netsim.own_machine.importing import Imported, import_machine
from netsim.own_machine.machine_spec import AdapterFound, ImportedMachine
from netsim.own_machine.ring_findings import ring_findings
from netsim.own_machine.slot_findings import slot_findings
from netsim.own_machine.slot_rate import stream_bounds
from netsim.spec.named_table import by_name


@dataclass(frozen=True)
class StreamBound:
    """Bit/s of payload that each part allows a stream over an adapter at most, the lowest `bottleneck`, and what
    iperf3 measured, if it did. A bound is not what to expect: what processors need is not in it."""

    adapter: str
    bounds: dict[str, float]
    measured: float | None = None

    @property
    def bottleneck(self) -> str:
        return min(self.bounds, key=lambda part: self.bounds[part])

    @property
    def lowest(self) -> float:
        return self.bounds[self.bottleneck]


def findings(machine: ImportedMachine) -> list[Finding]:
    """All that is wrong, those that keep an adapter from its wire's rate first."""
    found: list[Finding] = []
    for name in by_name(machine.adapters, AdapterFound):
        subject = Subject(machine, name)
        found += [*slot_findings(subject), *ring_findings(subject), *interrupt_findings(subject)]
    found += kernel_findings(machine)
    return sorted(found, key=lambda one: not one.limits)


def advise(machine: ImportedMachine) -> list[Finding]:
    """The same, what gives most by closed form first among those that limit and among the others."""
    return sorted(findings(machine), key=lambda one: (not one.limits, -one.factor))


def bounds_of(machine: ImportedMachine) -> list[StreamBound]:
    """The bounds of a stream over each adapter with a link."""
    found = []
    for name, adapter in by_name(machine.adapters, AdapterFound).items():
        if each := stream_bounds(adapter, machine.kernel.tcp_timestamps):
            found.append(StreamBound(name, each, adapter.measured.rate if adapter.measured else None))
    return found


def machine_of(source: str | Path) -> Imported:
    """What a folder holds, or the TOML that was made of it. Raises ScenarioError."""
    path = path_of("source", source)
    return import_machine(path) if path.is_dir() else Imported(ImportedMachine.from_toml(path), ())
