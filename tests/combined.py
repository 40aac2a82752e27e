"""Every card under every system, on every wire, with every tool: combinations that models/ allows, and all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar

import netsim as ns
from netsim import catalog
from netsim.engine import Environment
from netsim.ethernet import LinkSpec, SegmentSpec
from netsim.machine import InstalledSpec
from netsim.nic import CardSpec
from netsim.scenario import Scenario, StreamRun
from netsim.stack import ComputerSpec
from netsim.workload import Chariot, Netperf, NetPipe, Perform3

Machine = TypeVar("Machine")
MS = 10**9  # ps
DURATION = 25 * MS
# A host with slots for a bus, and the slot to use. A PCI-X card also runs in a PCI slot.
HOSTS = {"isa": ("486dx2-66", 0), "eisa": ("ast-premium-5", 0), "pci": ("p100", 0), "pci-x": ("p100", 0)}
SERVERS = {"isa": "compaq-cp3301", "eisa": "compaq-cp3301", "pci": "netfinity-5500", "pci-x": "netfinity-5500"}
TOOLS = ("TCP_STREAM", "UDP_STREAM", "netpipe", "chariot", "perform3")
_PEERS = {10_000_000: ("486dx2-66", "at1500/lance"), 100_000_000: ("piii-600", "3c905b/3c59x")}
_FAST_PEER = ("ml530", "pro1000f/e1000")
_NETWARE_RATE = 10_000_000  # of the station at the other end
_CLIENT, _SERVER = ("netx-3", "ne2000/ne2000-odi"), ("netware-3.11", "plx-sonic/plx-sonic-lan")


_COMBO = ("twisted pair", "coaxial cable")  # such a card may have another connector


class Combination(NamedTuple):
    """A card, its driver, a system, a wire ("links/100base-tx", "segments/10base2", "switch") and a tool."""

    card: str
    driver: str
    system: str
    wire: str
    tool: str

    @property
    def is_netware(self) -> bool:
        """Whether its system has only the core protocol."""
        return self.system in _netware()

    @property
    def reason(self) -> str:
        """Why it is refused, according to the table and the card's own description; "" if it is allowed."""
        card = _card(self.card, self.driver)
        if self.system not in _systems(self.driver):
            return "driver"
        if self.is_netware != (self.tool == "perform3"):
            return "protocol"
        if self.tool == "perform3":
            if not self.wire.startswith("segments/"):
                return "wire"
        elif self.tool == "chariot" and self.wire != "switch":
            return "wire"
        medium = _medium(self.wire)
        if isinstance(medium, LinkSpec) and card.duplex == "half":
            return "duplex"
        if card.medium not in (None, medium.medium) and (card.medium, medium.medium) != _COMBO:
            return "medium"
        if min(card.rate, _NETWARE_RATE if self.is_netware else card.rate) < medium.rate:
            return "rate"
        return ""

    def scenario(self) -> Scenario:
        """The combination as a scenario. Raises ScenarioError if it is not possible."""
        card = _card(self.card, self.driver)
        model, slot = HOSTS[card.bus_standard]
        if self.tool == "perform3":
            return self._core_protocol(model, slot)
        own = _made(ns.host, model, self.system, f"{self.card}/{self.driver}", slot)
        medium = _medium(self.wire)
        name, peer_nic = _PEERS.get(medium.rate, _FAST_PEER)
        if medium.rate == 10_000_000 and isinstance(medium, LinkSpec):
            name, peer_nic = _PEERS[100_000_000]
        system = "linux-2.2.14-smp" if name == "ml530" else "linux-2.2.16"
        return self._tcp(own, _peer(name, system, peer_nic), medium)

    def _tcp(self, own: Any, peer: Any, medium: LinkSpec | SegmentSpec) -> Scenario:
        if self.tool == "chariot":
            if self.wire != "switch":
                raise ns.ScenarioError("chariot has a switch; allowed: switch", address="segment")
            return Chariot("bidirectional", own, [peer, peer], "summit48", link=medium)
        kind, _, name = self.wire.partition("/")
        wire: dict[str, Any] = {"links": {"link": name}, "segments": {"segment": name}}.get(
            kind, {"switch": "summit48", "link": medium}
        )
        if medium.mtu > 1500:
            wire["mtu"] = medium.mtu
        if self.tool == "netpipe":
            return NetPipe(own, peer, sizes=(1, 1000, 20_000), trial_time="5 ms", trials=1, **wire)
        more = {"message": 8192} if self.tool == "UDP_STREAM" else {}
        return Netperf(self.tool, own, peer, **more, **wire)

    def _core_protocol(self, model: str, slot: int) -> Scenario:
        if not self.is_netware:
            raise ns.ScenarioError("perform3 is NetWare's; allowed: a system of models/netware", address="system")
        kind, _, name = self.wire.partition("/")
        if kind != "segments":
            raise ns.ScenarioError("perform3 is on a segment; allowed: a segment", address="link")
        serves = self.driver.endswith("-lan")
        card = _card(self.card, self.driver)
        nic = f"{self.card}/{self.driver}"
        own = _made(ns.netware_host, SERVERS[card.bus_standard] if serves else model, self.system, nic, slot)
        other = _made(ns.netware_host, *(("ast-premium-5", *_CLIENT) if serves else ("compaq-cp3301", *_SERVER)))
        return Perform3(*((own, [other]) if serves else (other, [own])), segment=name)


def combinations() -> Iterator[Combination]:
    """Every driver with each of its cards, under every system, on every wire, with every tool."""
    systems = [*catalog.names("systems"), *catalog.names("netware")]
    wires = [f"{kind}/{name}" for kind in ("links", "segments") for name in catalog.names(kind)]
    for driver in catalog.names("drivers"):
        for card in catalog.cards_of(driver):
            for system in systems:
                for wire in (*wires, "switch"):
                    yield from (Combination(card, driver, system, wire, tool) for tool in TOOLS)


def run(test: Scenario) -> None:
    """Runs it for some milliseconds: nothing is lost or invented, and it is no faster than its closed form."""
    built = test.build(Environment(seed=1))
    bounds = test.bounds()
    if isinstance(built, StreamRun):
        built.start()
        built.env.run(until=DURATION)
        least = built.delivered / bounds.delivered * bounds.demand[bounds.bottleneck]
        # The measured interval begins and ends within a unit of work.
        assert least <= DURATION + 2 * bounds.demand[bounds.bottleneck]
    else:
        done: list[int] = []
        built.round_trip(1000, lambda: done.append(built.env.now))
        built.env.run(until=DURATION)
        assert done
        assert 2 * 1000 / bounds.delivered * bounds.demand[bounds.bottleneck] <= done[0]
    built.audit()


@cache
def _tried(build: Callable[..., Machine], model: str, system: str, nic: str, slot: int) -> Machine | ns.ScenarioError:
    """The machine, or the error that refuses it. Cached, because hundreds of wires and tools need the same few."""
    try:
        return build(model, system=system, nics=[{"model": nic, "slot": slot}])
    except ns.ScenarioError as error:
        return error


def _made(build: Callable[..., Machine], model: str, system: str, nic: str, slot: int = 0) -> Machine:
    found = _tried(build, model, system, nic, slot)
    if isinstance(found, ns.ScenarioError):
        raise found.with_traceback(None)
    return found


@cache
def _peer(model: str, system: str, nic: str) -> ComputerSpec:
    return ns.host(model, system=system, nics=[nic]).replace("nics.0.medium", None)  # for any medium


@cache
def _card(card: str, driver: str) -> CardSpec:
    return InstalledSpec.from_name(f"{card}/{driver}")


@cache
def _medium(wire: str) -> LinkSpec | SegmentSpec:
    kind, _, name = wire.partition("/")
    if kind == "segments":
        return SegmentSpec.from_name(name)
    return LinkSpec.from_name(name or "100base-tx")


@cache
def _systems(driver: str) -> frozenset[str]:
    return frozenset(catalog.systems_of(driver))


@cache
def _netware() -> frozenset[str]:
    return frozenset(catalog.names("netware"))
