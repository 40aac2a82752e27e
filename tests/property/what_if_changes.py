"""What-if: changes of one number of a scenario, for better or for worse."""

from __future__ import annotations

import re
from math import ceil, floor
from typing import NamedTuple

import netsim as ns
from netsim.spec.field_types import quantity_at
from netsim.units import QUANTITIES, Exact

PCI = {"clock": (Exact(33_333_333), Exact(66_666_667)), "width": (Exact(4), Exact(8))}  # Hz (PCI 2.2, 7.6.4.1); bytes
PCIX = {"clock": (66_666_667, 100_000_000, 133_333_333), "width": (4, 8), "max_read": (512, 1024, 2048, 4096),
        "outstanding": (1, 2, 3, 4, 8, 12, 16, 32), "completion": (128, 256, 512, 1024, 2048, 4096)}  # fmt: skip
AHEAD, LINE = ("read", "read_line", "read_multiple", "post"), 32  # bytes
BUS, CARD, KERNEL = r"(bus|peers\.\d+)\.", r"nics\.\d+\.", r"system\.kernel\."


class Kind(NamedTuple):
    """The numbers at addresses that end in `pattern`, after a host's name; better is higher if `more`, else lower."""

    name: str
    pattern: str
    more: bool = True


KINDS = (
    Kind("a wider bus", BUS + "width"),
    Kind("a faster bus", BUS + "clock"),
    Kind("a bus that answers sooner", BUS + r"(register_(read|write)_latency|\w*arbitration)", False),
    Kind("a chipset that answers sooner", r"chipset\.(decode|memory_time|crossing|handover)", False),
    Kind("a bridge that splits better", r"chipset\.split\.decode", False),
    Kind("longer or more sequences", r"chipset\.split\.(completion|outstanding)|nics\.\d+\.(max_read|outstanding)"),
    Kind("more fetched ahead", r"chipset\.(read|read_line|read_multiple|post)"),
    Kind("a faster processor", r"processors\.clock"),
    Kind("a processor of fewer cycles", r"processors\.relative_cpi", False),
    Kind("more memory bandwidth", r"memory\.(read|cached|write|bandwidth)|chipset\.(memory_rate|link)"),
    Kind("cheaper interrupts", rf"processors\.(port|apic)_access|{KERNEL}(interrupt|deferred|tick)_cycles|"
         rf"{CARD}driver\.interrupt_(cycles|reads|writes)", False),
    Kind("cheaper calls", KERNEL + "(system_call|wake_up)_cycles", False),
    Kind("a cheaper driver", CARD + r"driver\.(tx|rx|free)_(cycles|reads|writes)", False),
    Kind("cheaper protocols", r"system\.(ip|udp|tcp|ncp)\.\w+_cycles", False),
    Kind("larger rings and queues", rf"{CARD}driver\.(tx_ring|rx_ring|tx_queue)|{KERNEL}backlog"),
    Kind("larger FIFOs", CARD + r"(tx|rx)_fifo|switch\.buffer"),
    Kind("larger socket buffers", r"(send|receive)_buffer|system\.tcp\.((send|receive)_buffer|window_clamp)"),
    Kind("a card that needs less time", CARD + "((tx|rx)_burst_gap|tx_turnaround|tx_wake_up|doorbell_hold)", False),
    Kind("less propagation", r"link\.propagation|segment\.delay|spacing", False),
)  # fmt: skip
_HOST = r"(?:(?:sender|receiver|server|clients\.\d+|workstations\.\d+)\.)?"


class Change(NamedTuple):
    """A change of the number at an address."""

    kind: str
    address: str
    value: object

    @property
    def host(self) -> str:
        """The host it belongs to: "sender", "clients" ..., or what is not part of a host."""
        return self.address.partition(".")[0]

    @property
    def part(self) -> str:
        """The part of that: "processors.clock"."""
        return self.address.partition(".")[2]


def changes(test: ns.Scenario, factor: float) -> list[Change]:
    """All changes: numbers `factor` times as good, which is worse below 1."""
    found = []
    for address, before in test.addresses().items():
        for kind in KINDS:
            if before and re.fullmatch(f"{_HOST}(?:{kind.pattern})", address):
                value = _changed(test, address, before, factor if kind.more else 1 / factor)
                found += [Change(kind.name, address, value)] if value != before else []
    return found


def _changed(test: ns.Scenario, address: str, before: float, factor: float) -> object:
    """The number times `factor`, a count by at least one, within its range. A number fixed by a standard becomes the
    standard's next value; the amount fetched ahead is whole cache lines."""
    part, _, name = address.rpartition(".")
    more = factor > 1
    if re.fullmatch(_HOST + BUS + "(width|clock)", address):
        standard = test.get(f"{part}.standard")
        if standard == "pci-x":
            return _beside(PCIX[name], before, more)
        return PCI[name][more] if standard == "pci" else before
    if name == "completion" or re.fullmatch(_HOST + CARD + "(max_read|outstanding)", address):
        return _beside(PCIX[name], before, more)
    if part.endswith("chipset") and name in AHEAD:
        return Exact(before * 2 if more else max(LINE, before // 2))
    rule = QUANTITIES[quantity_at(test, address)]
    after = max(rule.lowest, before * factor)
    return Exact(ceil(after) if more else floor(after)) if rule.whole else after


def _beside(values: tuple[int, ...], before: float, more: bool) -> Exact:
    """The adjacent value, if there is one."""
    place = values.index(int(before)) + (1 if more else -1)
    return Exact(values[min(max(place, 0), len(values) - 1)])


def changed(test: ns.Scenario, change: Change) -> ns.Scenario | None:
    """The scenario with the change; None if that is not allowed, such as a ring larger than the card's memory."""
    try:
        return test.replace(change.address, change.value)
    except ns.ScenarioError:
        return None
