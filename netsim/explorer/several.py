"""Lists that grow and shrink: a machine's adapters, a test's clients, the hosts of a network."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from netsim.machine import HostSpec
from netsim.scenario import Scenario
from netsim.spec import Spec
from netsim.spec.named_table import NamedTable
from netsim.spec.tree import values


class Several(NamedTuple):
    """A list with buttons: `more` and `fewer` are the addresses to double or remove ("": none), `what` is the name of
    an entry. A refused change is kept at the `list`."""

    list: str
    more: str
    fewer: str
    what: str


def machines(scenario: Scenario, addresses: Sequence[str]) -> Iterator[Several]:
    """The list, the table or the number that holds several machines like those at these addresses; nothing if the tool
    has just one."""
    above, _, name = addresses[-1].rpartition(".")
    count = f"{name}s"
    if above:
        least = len(scenario.get(above)) if name.isdigit() else len(values(scenario.get(above)))
        yield Several(above, addresses[-1], addresses[-1] if least > 1 else "", _singular(above))
    elif isinstance(values(scenario).get(count), int):
        yield Several(count, count, count if scenario.get(count) > 1 else "", name)


def _singular(name: str) -> str:
    return name.rpartition(".")[2].removesuffix("s")


def adapters(scenario: Scenario, machine: str) -> Several:
    """A machine's adapters; each has its own button to remove it."""
    last = len(scenario.get(f"{machine}.nics")) - 1
    return Several(f"{machine}.nics", f"{machine}.nics.{last}" if last >= 0 else "", "", "adapter")


def changed(scenario: Scenario, addresses: Sequence[str], by: int) -> dict[str, object]:
    """The arguments of `replace` that add a copy of the thing at each address (`by` = 1), or remove it (-1)."""
    found: dict[str, object] = {}
    for address in addresses:
        found |= _changed(scenario, address, by)
    return found


def _changed(scenario: Scenario, address: str, by: int) -> Mapping[str, object]:
    above, _, name = address.rpartition(".")
    if not above:
        return {address: scenario.get(address) + by}
    there = scenario.get(above)
    if isinstance(there, NamedTable):
        return _doubled(scenario, above, name) if by > 0 else _without(scenario, above, name)
    at = int(name)
    return {above: (*there[:at], *[there[at]] * (1 + by), *there[at + 1 :])}


# ---- hosts of a network, with the links and flows that name them ----


def _doubled(scenario: Scenario, table: str, name: str) -> dict[str, object]:
    """A host under a new name, and a copy of each link and flow of the old one; on a segment it is one more station."""
    tables = _tables(scenario)
    twin = _free(name, tables[table])
    tables[table][twin] = tables[table][name]
    for entries in (tables[other] for other in tables if other != table):
        for key, entry in list(entries.items()):
            named = _naming(entry, name)
            if stations := [at for at in named if at.startswith("stations.")]:
                entries[key] = entry.replace("stations", (*entry.stations, _called(twin, entry.get(stations[0]))))
            elif named:
                entries[_free(key, entries)] = entry.replace({at: _called(twin, entry.get(at)) for at in named})
    return dict(tables)


def _without(scenario: Scenario, table: str, name: str) -> dict[str, object]:
    """Remove the host, and everything that leads to it; a segment has one station fewer."""
    tables = _tables(scenario)
    del tables[table][name]
    for entries in (tables[other] for other in tables if other != table):
        for key, entry in list(entries.items()):
            named = _naming(entry, name)
            if any(at.startswith("stations.") for at in named):
                left = tuple(one for one in entry.stations if _host(one) != name)
                entries[key] = entry.replace("stations", left)
            elif named:
                del entries[key]
    return dict(tables)


def _tables(scenario: Scenario) -> dict[str, dict[str, Any]]:
    return {name: dict(values(one)) for name, one in values(scenario).items() if isinstance(one, NamedTable)}


def _naming(entry: Spec, name: str) -> list[str]:
    """The addresses at which an entry names a host or one of its ports; a host never names itself."""
    if isinstance(entry, HostSpec):
        return []
    return [at for at, value in entry.addresses().items() if isinstance(value, str) and _host(value) == name]


def _host(end: str) -> str:
    """The host of "server.1", which is a port."""
    return end.partition(".")[0]


def _called(twin: str, end: str) -> str:
    """The same port of another host."""
    return twin + end[len(_host(end)) :]


def _free(name: str, taken: Mapping[str, object]) -> str:
    """The next free number: "client9" after "client8", "uplink2" after "uplink"."""
    found = re.fullmatch(r"(.*?)(\d*)", name)
    assert found is not None
    stem, number = found[1], int(found[2] or 1)
    while f"{stem}{number}" in taken or number == 1:
        number += 1
    return f"{stem}{number}"
