"""A computer's description: processors, memory, buses, adapters, disks and the system that runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self

from pydantic import ValidatorFunctionWrapHandler

from netsim import catalog
from netsim.accounts import Resource
from netsim.accounts.resource import BUS
from netsim.bus import BusSpec, ChipsetSpec, Slot
from netsim.errors import ScenarioError
from netsim.machine.adapter import InstalledSpec
from netsim.machine.bill import Bill
from netsim.machine.memory_spec import MemorySpec
from netsim.machine.port import Port
from netsim.machine.processor_spec import ProcessorSpec
from netsim.machine.system import SystemSpec
from netsim.nic.moderation_spec import NONE
from netsim.spec import Spec, Unfinished
from netsim.storage import StorageSpec


class HostSpec(Spec):
    """A computer without its operating system's protocols. Its `chipset` connects memory to its PCI buses (None: it has
    no PCI bus); `peers` are the buses besides `bus`. Its disks, if any, are its `storage`."""

    kept: ClassVar[tuple[str, ...]] = ("system", "nics")

    processors: ProcessorSpec
    memory: MemorySpec
    chipset: ChipsetSpec | None = None
    bus: BusSpec
    peers: tuple[BusSpec, ...] = ()
    system: SystemSpec
    nics: tuple[InstalledSpec, ...] = ()
    storage: StorageSpec | None = None

    @classmethod
    def _read(cls, data: Any, handler: ValidatorFunctionWrapHandler) -> Self:
        """One level, as of any description; then the rules for its parts together."""
        spec = super()._read(data, handler)
        if isinstance(data, Mapping) and not isinstance(data, Unfinished):  # what has a name was read from a table
            try:
                spec.check()
            except ScenarioError as error:
                raise cls._in_file(error, data) from None
        return spec

    @classmethod
    def _in_file(cls, error: ScenarioError, data: Mapping[str, Any]) -> ScenarioError:
        """An error, in the catalogue's file if nothing is laid over that file which could be the cause."""
        name, beside = data.get("model"), data.keys() - {"model", *cls.kept}
        if not (cls.catalogue and isinstance(name, str)) or beside or error.address.partition(".")[0] in cls.kept:
            return error
        return error.at(file=catalog.file_of(cls.catalogue, name, error.address))

    def check(self) -> None:
        """Check the rules for its parts together. Raises ScenarioError."""
        for rule in (self._behind, self._stored, self._slotted, self._driven, self._polled, self._lined):
            rule()

    def _behind(self) -> None:
        """Each bus that needs a chipset has one."""
        for bus in self.buses:
            bus.under(self.chipset)

    def _stored(self) -> None:
        """Disks are behind an existing bus; files require memory."""
        if self.storage is not None and self.storage.slot > len(self.peers):
            text = f"{self.storage.slot} is not a bus of this host; allowed: 0 to {len(self.peers)}"
            raise ScenarioError(text, address="storage.slot")
        if self.has_files and self.system.files:
            if self.memory.size is None:
                raise ScenarioError("needed for a host with disks; allowed: a number of bytes", address="memory.size")
            self.system.files.room(self.memory.size)

    def _slotted(self) -> None:
        """Adapters are in existing slots that they fit."""
        last = len(self.peers)
        for number, nic in enumerate(self.nics):
            if nic.slot > last:
                allowed = f"0 to {last}" if last else "0"
                text = f"{nic.slot} is not a bus of this host; allowed: {allowed}"
                raise ScenarioError(text, address=f"nics.{number}.slot")
            takes = self.buses[nic.slot].takes
            if nic.bus_standard not in takes:
                text = f'"{nic.bus_standard}" does not fit a slot of bus {nic.slot}; allowed there: {", ".join(takes)}'
                others = [other for other, bus in enumerate(self.buses) if nic.bus_standard in bus.takes]
                text += f" (such a card: slot = {others[0]})" if others else " (no bus of this host takes such a card)"
                raise ScenarioError(text, address=f"nics.{number}.bus_standard")
            if nic.moved_by == "adapter" and not self.buses[nic.slot].takes_masters:
                text = f"only slots with 16 data lines have the line of a bus master, and bus {nic.slot} has 8"
                raise ScenarioError(f'{text}; allowed there: cards moved_by "processor"', address=f"nics.{number}")
        self._roomy()

    def _roomy(self) -> None:
        """No bus has more cards than slots; a disk controller is a card."""
        slots = [nic.slot for nic in self.nics] + ([self.storage.slot] if self.storage is not None else [])
        for number, bus in enumerate(self.buses):
            cards = slots.count(number)
            if bus.most_cards is not None and cards > bus.most_cards:
                text = f"{cards} cards for the slots of bus {number}; allowed there: up to {bus.most_cards}"
                text += " (slot puts a card on another bus)" if self.peers else ""
                raise ScenarioError(text, address="nics")

    def _driven(self) -> None:
        """Drivers with names in the catalogue belong to the host's system."""
        system = self.system.catalogue_name
        for number, nic in enumerate(self.nics):
            driver = nic.driver.catalogue_name.partition("/")[2]
            if system and driver:
                try:
                    catalog.check_system(nic.catalogue_name.partition("/")[2], driver, system)
                except ScenarioError as error:
                    raise error.at(f"nics.{number}.driver") from None

    def _polled(self) -> None:
        """The host meets the requirements of the kernel's polling."""
        kernel = self.system.kernel
        polling, address = kernel.polling, "system.kernel.polling"
        if polling is None:
            return
        if kernel.ring_work == "deferred":
            text = "polling replaces receive work in the interrupt, but this system defers that work"
            raise ScenarioError(f"{text}; allowed here: none", address=address)
        if self.processors.count > 1 and polling.interrupts and not self.has_big_lock:
            text = "polling on several processors is modelled only for Linux 2.2's bottom halves"
            raise ScenarioError(f"{text}; allowed here: none", address=address)
        if self.processors.count > 1 and not polling.interrupts:
            text = f'"{polling.policy}" is modelled for one processor, as in FreeBSD 4; allowed on several: "masked"'
            raise ScenarioError(text, address=address)
        if polling.policy == "ticks" and not kernel.tick:
            text = '0 is not allowed with "ticks" polling; allowed: the time between two ticks'
            raise ScenarioError(text, address="system.kernel.tick")
        for number, nic in enumerate(self.nics):
            if nic.moved_by == "processor":
                text = "cards whose data the processor moves can't be polled; allowed here: none"
                raise ScenarioError(f"nics.{number}: {text}", address=address)
            for name in ("rx_moderation", "rx_moderation_jumbo", "tx_moderation", "tx_moderation_jumbo"):
                if not polling.interrupts and getattr(nic.driver, name) not in (None, NONE):
                    text = f'with "{polling.policy}" polling there are no interrupts to moderate; allowed: none'
                    raise ScenarioError(text, address=f"nics.{number}.driver.{name}")

    def _lined(self) -> None:
        """Ports share a line only if the behaviour of their system and their drivers is known for this case."""
        shared = {number for numbers in self.shared_lines().values() for number in numbers}
        port = 0
        for number, nic in enumerate(self.nics):
            ports = range(port, port := port + nic.ports)
            if shared.isdisjoint(ports):
                continue
            why = self._keeps_to_itself(nic)
            if why:
                lines = ", ".join(map(str, nic.irqs))
                text = f"{lines}: another port uses the same line, but {why}; allowed: a line that no other port has"
                raise ScenarioError(text, address=f"nics.{number}.irqs")
            if nic.driver.foreign_reads is None:
                text = "needed where ports share a line, but not known for this driver; allowed: a number"
                raise ScenarioError(text, address=f"nics.{number}.driver.foreign_reads")

    def _keeps_to_itself(self, nic: InstalledSpec) -> str:
        """Why an adapter can't share its line; "" if it can."""
        kernel = self.system.kernel
        if nic.bus_standard not in ("pci", "pci-x") or nic.moved_by == "processor":
            return f'only bus masters on PCI can share a line (this card: "{nic.bus_standard}", {nic.moved_by})'
        if not kernel.chains_handlers or kernel.ring_work == "deferred" or kernel.polling is not None:
            return "how this system handles a shared line is not known"
        if kernel.interrupts == "spread" and self.processors.count > 1:
            return 'which processor handles a shared line is not known (system.kernel.interrupts is "spread")'
        return ""

    def shared_lines(self) -> dict[int, list[int]]:
        """The numbers of the ports on each line that several ports share, by the line's number. Ports are in ascending
        order, in which their devices were opened."""
        sharing: dict[int, list[int]] = {}
        if any(nic.irqs for nic in self.nics):
            for port, irq in enumerate(chain.from_iterable(nic.lines for nic in self.nics)):
                if irq is not None:
                    sharing.setdefault(irq, []).append(port)
        return {irq: ports for irq, ports in sharing.items() if len(ports) > 1}

    @classmethod
    def _base(cls, table: dict[str, Any]) -> Self:
        """A host given by name is incomplete without the system and adapters given beside that name. Its rules apply to
        the finished host alone: what else is given may be what they ask for."""
        if not (cls.catalogue and isinstance(table["model"], str)):
            return super()._base(table)
        given: dict[str, Any] = {part: table.pop(part) for part in ("system", "nics") if part in table}
        return cls._from_catalog(cls.catalogue, table.pop("model"), given, Unfinished)

    @property
    def buses(self) -> tuple[BusSpec, ...]:
        """All its buses, by number."""
        return (self.bus, *self.peers)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """All its buses, each as a card in one of its slots sees it."""
        numbered = enumerate(self.buses)
        held = [bus.holding(self._standards(number), self._clock(number)) for number, bus in numbered]
        return tuple(bus.under(self.chipset) for bus in held)

    def _standards(self, slot: int) -> set[str]:
        """The standards of the cards on one bus; a disk controller is a conventional PCI card."""
        disks = {"pci"} if self.storage is not None and self.storage.slot == slot else set()
        return disks | {nic.bus_standard for nic in self.nics if nic.slot == slot}

    def _clock(self, slot: int) -> int | None:
        """The highest clock (Hz) of the slowest card on one bus; None: its cards run at any."""
        clocks = [nic.bus_clock for nic in self.nics if nic.slot == slot and nic.bus_clock is not None]
        return min(clocks, default=None)

    @property
    def memory_rate(self) -> int | None:
        """The bandwidth that memory gives to adapters, and meanwhile withholds from processors (bytes per second);
        None: not known, and adapters don't slow processors down."""
        return self.memory.bandwidth or (self.chipset.memory_rate if self.chipset else None)

    @property
    def is_concurrent(self) -> bool:
        """Whether processors may work while a master has PCI."""
        return self.chipset is None or self.chipset.concurrent

    @property
    def has_files(self) -> bool:
        """Whether it has disks, and a system that can use them."""
        return self.storage is not None and self.system.files is not None

    @property
    def has_big_lock(self) -> bool:
        """Whether it has a kernel lock; a single processor needs none."""
        return self.system.kernel.big_lock and self.processors.count > 1

    def _repr_html_(self) -> str:
        from netsim.show import host_view

        return host_view.html(self)

    def bill(self) -> Bill:
        """An empty bill with this host's costs."""
        return Bill(self._interrupted, self.memory, self.system.kernel.cycle_factor, self.system.kernel.locked)

    @cached_property
    def _interrupted(self) -> ProcessorSpec:
        """The processors, without an I/O APIC if the kernel does not use it."""
        used = self.processors.count > 1 or self.system.kernel.apic_alone
        return self.processors if used else self.processors.replace({"apic_access": None})

    def ports(self) -> Sequence[Port]:
        """The ports in use, adapter by adapter."""
        return self._ports

    @cached_property
    def _ports(self) -> Sequence[Port]:
        slots, kernel = self.slots, self.system.kernel
        alone = [
            Port(nic, nic.sees(slots[nic.slot]), kernel)
            for nic in self.nics
            for _ in range(nic.ports)
        ]
        ports = [*alone]
        for numbers in self.shared_lines().values():
            line = tuple(alone[number] for number in numbers)
            for at, number in enumerate(numbers):
                ports[number] = replace(line[at], before=line[:at], behind=line[at + 1 :])
        return tuple(ports)

    def bus_names(self, host: str) -> list[Resource]:
        """The names of its buses in the accounts of `host`."""
        return [Resource(host, BUS, number or None) for number in range(len(self.buses))]
