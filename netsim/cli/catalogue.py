"""The command line's `netsim list` and `netsim show`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from netsim import catalog
from netsim.catalog import Provenance
from netsim.errors import ScenarioError, near_miss, show
from netsim.scenario import Scenario
from netsim.show.keys import keys, open_keys, tables
from netsim.workload import TOOLS


def add(commands: Any) -> None:
    """Add both commands to the parser's."""
    command = commands.add_parser("list", help="list the catalogue")
    command.add_argument("category", nargs="?", metavar="CATEGORY",
                         help="for example nics, drivers or hosts (default: all)")
    command.set_defaults(lines=_list)

    command = commands.add_parser("show", help="print every number of an entry with its source, or a tool's keys")
    command.add_argument("name", metavar="NAME",
                         help="for example 3c905b, hosts/p166, 3c905b/3c59x (card and driver), netperf (a tool)")
    command.set_defaults(lines=_show)


def _list(options: argparse.Namespace) -> Iterator[str]:
    categories = catalog.categories() if options.category is None else [options.category]
    rows = [(one, name, catalog.notes(one, name)["title"]) for one in categories for name in catalog.names(one)]
    yield from _aligned(rows if options.category is None else [row[1:] for row in rows])


def _show(options: argparse.Namespace) -> Iterator[str]:
    if options.name in TOOLS:
        yield from _keys(TOOLS[options.name])
        return
    for number, name in enumerate(_things(options.name)):
        rows = [(at, value, one.kind, _because(one)) for at, value, one in catalog.describe(name)]
        notes = catalog.notes(*name.split("/"))
        yield from ["", name] if number else [name]
        yield from filter(None, (notes["title"], notes["about"], ""))
        yield from _aligned(rows)


def _keys(tool: type[Scenario]) -> Iterator[str]:
    """The keys of a tool's file and of its tables; for a host, those beside its name."""
    yield from [tool.tool(), *_aligned(keys(tool))]
    for name, kind in tables(tool):
        beside = f" (in addition to model, a name in {kind.catalogue})" if kind.catalogue else ""
        yield from ["", f"{name}{beside}", *_aligned(open_keys(kind))]


def _things(name: str) -> list[str]:
    """The files behind a name, as category/name: the card's and the driver's for an adapter."""
    category, _, own = name.partition("/")
    if own and category not in catalog.categories():
        found = [f"nics/{catalog.path('nics', category).stem}", f"drivers/{catalog.path('drivers', own).stem}"]
        catalog.check_card(category, own)
        return found
    found = [f"{category}/{name}" for category in catalog.categories() if name in catalog.names(category)]
    if not found and (near := near_miss(name, TOOLS)):
        raise ScenarioError(f"nothing is called {show(name)}{near}")
    return found if len(found) == 1 else [name]  # the catalogue reports none and several


def _because(provenance: Provenance) -> str:
    """Where a number comes from, on one line."""
    fitted = f"fitted to {', '.join(provenance.rows)}" if provenance.rows else ""
    deviation = f"standard deviation {provenance.sd:g}" if provenance.sd is not None else ""
    confidence = f"confidence {provenance.confidence}" if provenance.confidence else ""
    return "; ".join(filter(None, (provenance.source, provenance.reason, fitted, deviation, confidence)))


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, all columns but the last padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
