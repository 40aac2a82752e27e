"""A user's own machine in print and as JSON: what was read, what is wrong, and what would help."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from netsim.own_machine import Imported, ImportedMachine
from netsim.own_machine.advice import StreamBound, advise, bounds_of, findings
from netsim.own_machine.finding import Finding, gbit
from netsim.own_machine.machine_spec import AdapterFound
from netsim.own_machine.slot_rate import trained
from netsim.spec.named_table import by_name
from netsim.spec.tree import values
from netsim.spec.written import as_toml
from netsim.units import format_rate

_WIDTH = 110


# ---- netsim import ----


def import_lines(found: Imported) -> Iterator[str]:
    """What was read, what could not be, what is assumed, and what is wrong."""
    yield from _overview(found.machine)
    yield from _part("can't be read", [str(one) for one in found.unread])
    assumed = _assumed(found.machine)
    yield from _part("assumed, or not known", [f"{', '.join(names)}: {reason}" for reason, names in assumed.items()])
    every = findings(found.machine)
    yield from ["", "what is wrong" if every else "nothing wrong was found"]
    for number, one in enumerate(every, 1):
        yield from _finding(number, one, {"where": one.where, "why": one.why, "do": one.remedy})


def import_json(found: Imported) -> dict[str, Any]:
    """The same as data."""
    return {
        "machine": as_toml(found.machine),
        "sources": {at: one.source for at, one in found.machine.provenance().items() if one.kind == "imported"},
        "unread": [one._asdict() for one in found.unread],
        "assumed": _assumed(found.machine),
        "findings": [asdict(one) for one in findings(found.machine)],
    }


def _overview(machine: ImportedMachine) -> Iterator[str]:
    cpu, count = machine.processors, len(values(machine.nodes))
    nodes = f", {count} nodes" if count > 1 else ""
    yield f"{cpu.name}: {cpu.count} processors{nodes}, HZ {machine.kernel.hz}"
    for name, adapter in by_name(machine.adapters, AdapterFound).items():
        rate = format_rate(adapter.rate) if adapter.rate else "no link"
        slot = f", PCI Express {trained(adapter.pcie)} at {adapter.pcie.address}" if adapter.pcie else ""
        ring = f", ring of {adapter.rx_ring}" if adapter.rx_ring else ""
        queues = f", {adapter.queues} queue{'s' * (adapter.queues > 1)}" if adapter.queues else ""
        yield f"{name}: {adapter.driver}, {rate}{slot}{ring}{queues}"


def _assumed(machine: ImportedMachine) -> dict[str, list[str]]:
    """Addresses by the reason for which they were not read."""
    found: dict[str, list[str]] = {}
    for address, source in machine.provenance().items():
        if source.kind != "imported":
            found.setdefault(source.reason or source.source, []).append(address)
    return found


# ---- netsim advise ----


def advice_lines(machine: ImportedMachine) -> Iterator[str]:
    """What limits a stream over each adapter, and what would help, the best first."""
    for bound in bounds_of(machine):
        yield from _bound(bound)
    for number, one in enumerate(advise(machine), 1):
        yield ""
        yield from _finding(number, one, {"do": one.remedy, "gives": one.gain, "where": one.where})


def advice_json(machine: ImportedMachine) -> dict[str, Any]:
    """The same as data."""
    streams = [asdict(one) | {"bottleneck": one.bottleneck, "lowest": one.lowest} for one in bounds_of(machine)]
    return {"streams": streams, "advice": [asdict(one) for one in advise(machine)]}


def _bound(bound: StreamBound) -> Iterator[str]:
    each = ", ".join(f"{part} {gbit(rate)}" for part, rate in sorted(bound.bounds.items(), key=lambda one: one[1]))
    yield f"{bound.adapter}: at most {gbit(bound.lowest)} of payload ({each})"
    if bound.measured is not None:
        over = "; more than is possible: another adapter's run, or another MTU" if bound.measured > bound.lowest else ""
        of = f"measured {gbit(bound.measured)} of at most {gbit(bound.lowest)}: the {bound.bottleneck}"
        share = f"{bound.measured / bound.lowest:.0%} of a bound, which leaves out processors"
        yield f"{bound.adapter}: {of} ({share}){over}"


# ---- lines ----


def _part(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ["", title]
    for line in lines:
        yield from textwrap.wrap(line, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _finding(number: int, one: Finding, rows: Mapping[str, str]) -> Iterator[str]:
    limits = " (limits the wire's rate)" if one.limits else ""
    part = one.part.removeprefix("adapters.")
    yield from textwrap.wrap(f"{number}. {part}: {one.what}{limits}", _WIDTH, subsequent_indent="   ")
    for name, text in rows.items():
        yield from textwrap.wrap(f"   {name:<7}{text}", _WIDTH, subsequent_indent=" " * 10, break_long_words=False)
