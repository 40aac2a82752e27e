"""A user's own machine as text and as JSON: the values read, its faults, and its measured runs simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from netsim.own_machine import Imported, ImportedMachine
from netsim.own_machine.faults import findings
from netsim.own_machine.machine_spec import AdapterFound
from netsim.own_machine.simulated_run import Simulated
from netsim.own_machine.slot_rate import trained
from netsim.show.advice_view import assumed_of, finding, part, simulated, simulated_json
from netsim.spec.named_table import by_name
from netsim.spec.tree import values
from netsim.spec.written import as_toml
from netsim.units import format_rate


def import_lines(found: Imported, runs: Sequence[Simulated]) -> Iterator[str]:
    """The values read, the unreadable ones, the assumptions, the faults, and the simulations of measured runs."""
    yield from _overview(found.machine)
    yield from part("can't be read", [str(one) for one in found.unread])
    assumed = _assumed(found.machine)
    yield from part("assumed or not known", [f"{', '.join(names)}: {reason}" for reason, names in assumed.items()])
    every = findings(found.machine)
    yield from ["", "what is wrong" if every else "nothing wrong was found"]
    for number, one in enumerate(every, 1):
        yield from finding(number, one, {"where": one.where, "why": one.why, "do": one.remedy})
    if runs:
        yield from ["", "measured and simulated"]
    for run in runs:
        yield from simulated(run)
        yield from assumed_of(run)


def import_json(found: Imported, runs: Sequence[Simulated]) -> dict[str, Any]:
    """The same as data."""
    return {
        "machine": as_toml(found.machine),
        "sources": {at: one.source for at, one in found.machine.provenance().items() if one.kind == "imported"},
        "unread": [one._asdict() for one in found.unread],
        "assumed": _assumed(found.machine),
        "findings": [asdict(one) for one in findings(found.machine)],
        "simulated": [simulated_json(one) for one in runs],
    }


def _overview(machine: ImportedMachine) -> Iterator[str]:
    cpu, count = machine.processors, len(values(machine.nodes))
    nodes = f", {count} nodes" if count > 1 else ""
    yield f"{cpu.name}: {cpu.count} processors{nodes}, HZ {machine.kernel.hz}"
    for name, adapter in by_name(machine.adapters, AdapterFound).items():
        rate = format_rate(adapter.rate) if adapter.rate else "no link"
        rate += " half duplex" if adapter.rate and adapter.duplex == "half" else ""
        slot = f", PCI Express {trained(adapter.pcie)} at {adapter.pcie.address}" if adapter.pcie else ""
        ring = f", ring of {adapter.rx_ring}" if adapter.rx_ring else ""
        queues = f", {adapter.queues} queue{'s' * (adapter.queues > 1)}" if adapter.queues else ""
        yield f"{name}: {adapter.driver}, {rate}{slot}{ring}{queues}"


def _assumed(machine: ImportedMachine) -> dict[str, list[str]]:
    """Addresses by the reason why they were not read."""
    found: dict[str, list[str]] = {}
    for address, source in machine.provenance().items():
        if source.kind != "imported":
            found.setdefault(source.reason or source.source, []).append(address)
    return found
