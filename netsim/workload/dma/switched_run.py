"""Devices behind a switch, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.balance import require
from netsim.accounts.resource import NONPOSTED_HEADERS, PCIE_DOWNSTREAM, PCIE_UPSTREAM, POSTED_DATA, POSTED_HEADERS
from netsim.bus import PcieDirection, PcieSwitch, PcieSwitchPort, PcieSwitchSpec, SwitchedDmaEngine
from netsim.engine import Environment
from netsim.workload.dma.run import DmaRun, engine_occupied
from netsim.workload.dma.switched_bounds import DEVICE, SWITCH

if TYPE_CHECKING:
    from netsim.workload.dma.tool import Dma


class SwitchedDmaRun(DmaRun):
    """Devices that each repeat a command; the link to the root complex is the switch's uplink."""

    def __init__(self, env: Environment, test: Dma, switch: PcieSwitchSpec) -> None:
        self._connect(env, test, switch.uplink, SWITCH)
        self.switch = PcieSwitch(env, switch, self.up, self.root_complex)
        for number in range(test.devices):
            names = Resource(DEVICE, PCIE_UPSTREAM, number), Resource(DEVICE, PCIE_DOWNSTREAM, number)
            self.switch.ports.append(PcieSwitchPort(env, test.pcie, *names, self.switch, switch.credits))
        request = test.pcie.request_bytes
        self.engines = [
            SwitchedDmaEngine(env, test.engine, port, request, self.root_complex) for port in self.switch.ports
        ]

    def _directions(self) -> list[PcieDirection]:
        return [*super()._directions(), *(one for port in self.switch.ports for one in (port.up, port.down))]

    def _devices_occupied(self, now: int) -> dict[Resource, int]:
        found: dict[Resource, int] = {}
        for number, (port, engine) in enumerate(zip(self.switch.ports, self.engines, strict=True)):
            found |= engine_occupied(engine, DEVICE, number, now)
            found |= {one.name: one.busy_until(now) for one in (port.up, port.down)}
            kinds = (POSTED_HEADERS, port.posted), (POSTED_DATA, port.data), (NONPOSTED_HEADERS, port.nonposted)
            for kind, room in kinds:
                if room is not None:
                    found[Resource(DEVICE, kind, number)] = room.held_until(now) // room.credits
        return found

    def audit(self) -> None:
        """The same checks as without a switch, allowing for packets within it."""
        self.transactions.audit()
        ports, engines, memory = self.switch.ports, self.engines, self.root_complex
        inside = sum(one.reads_inside + one.answers_inside for one in ports)
        require(sum(one.tags - one.tags_free for one in engines), memory.reading + inside, "tags held")
        written = sum(one.bytes_written for one in engines)
        require(written - sum(one.bytes_inside for one in ports), memory.bytes_written, "bytes written")
        self._moved(written, sum(one.bytes_read for one in engines))
