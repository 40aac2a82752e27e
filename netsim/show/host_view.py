"""A computer for human readers: its parts, in a few lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from netsim.show import spec_view
from netsim.show.spec_view import described, title
from netsim.spec import Spec
from netsim.units import format_quantity, format_rate

if TYPE_CHECKING:
    from netsim.bus import BusSpec
    from netsim.machine.adapter import InstalledSpec
    from netsim.machine.host_spec import HostSpec
    from netsim.machine.memory_spec import MemorySpec
    from netsim.storage import StorageSpec

_SHOWN = {"processors", "memory", "bus", "peers", "system", "nics", "storage"}


def html(spec: HostSpec) -> str:
    """Its parts, and all its values in a folded section."""
    return spec_view.html(spec, parts(spec))


def parts(spec: HostSpec) -> dict[str, list[str]]:
    """The parts by their names; one text for each of several."""
    found = {"processors": [_processors(spec)], "memory": [_memory(spec.memory)], "bus": _buses(spec)}
    found |= {"adapters": _adapters(spec), "system": [described(spec.system)]}
    if spec.storage:
        found["disks"] = [_storage(spec.storage)]
    others = {name: getattr(spec, name) for name in type(spec).model_fields if name not in _SHOWN}
    found |= {name: [described(one)] for name, one in others.items() if isinstance(one, Spec)}
    return found | {spec_view.SET: spec_view.set_here(spec)}


def _processors(spec: HostSpec) -> str:
    own = spec.processors
    return f"{own.count} x {format_quantity('frequency', own.clock)}"


def _memory(memory: MemorySpec) -> str:
    """The memory's speeds and, if that matters, its size."""
    rates = {"reads": memory.read, "writes": memory.write_rate}
    speeds = ", ".join(f"{does} {format_quantity('byte_rate', rate)}" for does, rate in rates.items())
    return speeds if memory.size is None else f"{format_quantity('bytes', memory.size)}, {speeds}"


def _buses(spec: HostSpec) -> list[str]:
    """By their figures rather than their names, so that changed values show."""
    return [_bus(bus) for bus in spec.buses]


def _bus(bus: BusSpec) -> str:
    return f"{bus.standard.upper()}, {8 * bus.width} bit, {format_quantity('frequency', bus.clock)}"


def _adapters(spec: HostSpec) -> list[str]:
    """Each kind once, with its count."""
    several = len(spec.buses) > 1
    counts = Counter(_adapter(nic, several) for nic in spec.nics)
    return [text if count == 1 else f"{count} x {text}" for text, count in counts.items()]


def _adapter(nic: InstalledSpec, several_buses: bool) -> str:
    ports = f", {nic.ports} ports" if nic.ports > 1 else ""
    slot = f", on bus {nic.slot}" if several_buses else ""
    return f"{title(nic) or 'a card'}, {format_rate(nic.rate)}{ports}{slot}; driver {title(nic.driver) or 'of its own'}"


def _storage(storage: StorageSpec) -> str:
    what = title(storage.disk) or format_quantity("bytes", storage.disk.capacity)
    return f"RAID-{storage.level} of {storage.disks} x {what}"
