"""The values of a scenario that can be chosen by name: its tool, its wire, and for each machine host, system, cards and
buses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from netsim import catalog
from netsim.explorer import several
from netsim.explorer.place import FieldPlace, catalogue_of, place_of
from netsim.explorer.several import Several
from netsim.machine import HostSpec
from netsim.machine.adapter import InstalledSpec
from netsim.scenario import Scenario
from netsim.spec import NONE, Spec
from netsim.spec.named_table import NamedTable
from netsim.spec.tree import values
from netsim.workload import TOOLS

TOOL = "tool"
IRQS = ("5", "9", "10", "11")  # those that a PC's own devices leave free
OWN = "of its own"  # for values without a name in the catalogue


class Option(NamedTuple):
    """A name, and its title for people."""

    value: str
    text: str


class Choice(NamedTuple):
    """The current value at some like addresses, and the alternatives. `can_go`: it is one of several values, and can be
    removed."""

    addresses: tuple[str, ...]
    label: str
    value: str
    options: Sequence[Option]
    can_go: bool = False

    @property
    def address(self) -> str:
        """The first address."""
        return self.addresses[0]


class Group(NamedTuple):
    """The choices of the test as a whole, or of like `machines` (addresses), and the lists that can grow or shrink."""

    title: str
    choices: Sequence[Choice]
    machines: tuple[str, ...] = ()
    several: Sequence[Several] = ()

    @property
    def countable(self) -> Iterator[str]:
        """The addresses that can be doubled or removed."""
        yield from (one.address for one in self.choices if one.can_go)
        yield from (address for one in self.several for address in (one.more, one.fewer) if address)


def groups(scenario: Scenario, wanted: Mapping[str, str]) -> list[Group]:
    """The test first, then each machine. Cards are those for a machine's system, or for the one that is `wanted` at its
    address but that the current card does not support."""
    machines = list(_machines(scenario))
    inside = tuple(f"{address}." for addresses in machines for address in addresses)
    first = Group("Test and wire", [_tool(scenario), *_words(scenario), *_parts(scenario, inside)])
    return [first, *(_group(scenario, one, wanted) for one in machines)]


def _group(scenario: Scenario, addresses: tuple[str, ...], wanted: Mapping[str, str]) -> Group:
    lists = [several.adapters(scenario, addresses[0]), *several.machines(scenario, addresses)]
    return Group(_title(addresses), list(_of_machine(scenario, addresses, wanted)), addresses, lists)


def _machines(scenario: Scenario) -> Iterator[tuple[str, ...]]:
    """Their addresses; consecutive like machines together."""
    for name, value in values(scenario).items():
        if isinstance(value, HostSpec):
            yield (name,)
        elif isinstance(value, tuple) and value and isinstance(value[0], HostSpec):
            yield from _alike([(f"{name}.{number}", one) for number, one in enumerate(value)])
        elif isinstance(value, NamedTable) and issubclass(value.kind, HostSpec):
            yield from _alike([(f"{name}.{key}", one) for key, one in values(value).items()])


def _alike(hosts: Iterable[tuple[str, object]]) -> Iterator[tuple[str, ...]]:
    found: list[str] = []
    before: object = None
    for address, host in hosts:
        if found and host != before:
            yield tuple(found)
            found = []
        found.append(address)
        before = host
    yield tuple(found)


def _title(addresses: Sequence[str]) -> str:
    first, last = addresses[0], addresses[-1]
    return first if first == last else f"{first} to {last.rpartition('.')[2]}"


# ---- the test ----


def _tool(scenario: Scenario) -> Choice:
    return Choice((TOOL,), "tool", scenario.tool(), [Option(name, one.__name__) for name, one in TOOLS.items()])


def _words(scenario: Scenario) -> Iterator[Choice]:
    """The scenario's own choices among a few words."""
    for name, value in values(scenario).items():
        words = FieldPlace(scenario, name).words
        if words and not isinstance(value, Spec | tuple):
            yield Choice((name,), name, _word(value), [Option(one, one) for one in words])


def _word(value: object) -> str:
    if value is None:
        return NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parts(scenario: Scenario, inside: tuple[str, ...]) -> Iterator[Choice]:
    """Values outside machines that have, or could have, a name in the catalogue."""
    known = scenario.catalogue_names()
    own = [name for name, field in type(scenario).model_fields.items() if catalogue_of(field) and name not in known]
    for address in [*(one for one in known if one), *own]:
        value = scenario.get(address)
        if not f"{address}.".startswith(inside) and (value is None or isinstance(value, Spec)):
            yield from _choice(scenario, (address,), address)


# ---- a machine ----


def _of_machine(scenario: Scenario, addresses: tuple[str, ...], wanted: Mapping[str, str]) -> Iterator[Choice]:
    host = scenario.get(addresses[0])
    yield from _choice(scenario, addresses, "host")
    yield from _choice(scenario, _below(addresses, "system"), "system")
    system = wanted.get(f"{addresses[0]}.system", host.system.catalogue_name.partition("/")[2])
    for number, nic in enumerate(host.nics):
        label = "card" if number == 0 else f"card {number + 1}"
        one = _adapter(system, nic, _below(addresses, f"nics.{number}"), label)
        yield one._replace(can_go=len(host.nics) > 1)
        if nic.max_ports > 1:
            ports = [Option(str(one), str(one)) for one in range(1, nic.max_ports + 1)]
            yield Choice(_below(addresses, f"nics.{number}.ports"), "its ports", str(nic.ports), ports)
        if host.peers:
            slots = [Option(str(one), f"bus {one}: {bus.standard}") for one, bus in enumerate(host.buses)]
            yield Choice(_below(addresses, f"nics.{number}.slot"), "its slot", str(nic.slot), slots)
        if _shares_lines(host):
            yield _line(nic, _below(addresses, f"nics.{number}.irqs"))
    for name in _others(host):
        yield from _choice(scenario, _below(addresses, name), name.replace(".", " "))


def _shares_lines(host: HostSpec) -> bool:
    """Whether several ports of a machine may share an interrupt line."""
    return host.system.kernel.chains_handlers and sum(nic.ports for nic in host.nics) > 1


def _line(nic: InstalledSpec, addresses: tuple[str, ...]) -> Choice:
    """The common interrupt line of a card's ports."""
    value = ", ".join(map(str, nic.irqs)) or NONE
    options = [Option(NONE, "one for each port"), *(Option(irq, f"IRQ {irq}") for irq in IRQS)]
    return Choice(addresses, "its interrupt line", value, _with_own(options, Option(value, f"IRQ {value}")))


def _others(host: HostSpec) -> list[str]:
    """The other parts of a machine that have, or could have, a name."""
    known = [one for one in host.catalogue_names() if one and one != "system" and not one.startswith("nics.")]
    fields = type(host).model_fields
    own = [name for name, field in fields.items() if catalogue_of(field) and name not in (*known, "system", "nics")]
    return sorted({*known, *own}, key=lambda name: [*fields].index(name.partition(".")[0]))


def _below(addresses: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(f"{one}.{name}" for one in addresses)


def _adapter(system: str, nic: InstalledSpec, addresses: tuple[str, ...], label: str) -> Choice:
    """The cards with a driver for a system."""
    options = _adapters(system)
    card, driver = (one.catalogue_name.partition("/")[2] for one in (nic, nic.driver))
    if not (card and driver):
        return Choice(addresses, label, OWN, _with_own(options, Option(OWN, OWN)))
    own = Option(f"{card}/{driver}", f"{_called('nics', card)} ({driver})")
    return Choice(addresses, label, own.value, _with_own(options, own))


@lru_cache(maxsize=16)
def _adapters(system: str) -> Sequence[Option]:
    return [
        Option(f"{card}/{driver}", f"{_called('nics', card)} ({driver})")
        for card in catalog.names("nics")
        for driver in catalog.drivers_of(card, system)
    ]


def _choice(scenario: Scenario, addresses: tuple[str, ...], label: str) -> Iterator[Choice]:
    """A choice among the names of a category."""
    place, value = place_of(scenario, addresses[0]), scenario.get(addresses[0])
    category = value.catalogue if isinstance(value, Spec) else catalogue_of(place.field) if place else ""
    if place is None or not category:
        return
    own = value.catalogue_name.partition("/")[2] if isinstance(value, Spec) else NONE
    none = [Option(NONE, NONE)] * place.may_be_none
    yield Choice(addresses, label, own or OWN, _with_own([*none, *_named(category)], Option(own or OWN, own or OWN)))


@lru_cache(maxsize=64)
def _named(category: str) -> Sequence[Option]:
    return [Option(name, _called(category, name)) for name in catalog.names(category)]


def _called(category: str, name: str) -> str:
    return catalog.notes(category, name)["title"] or name


def _with_own(options: Sequence[Option], own: Option) -> list[Option]:
    """The options, with the current value if it is not one of them."""
    known = any(one.value == own.value for one in options)
    return list(options) if known else [own, *options]
