"""A host with several adapters, which may share the uplink of a switch, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netsim.accounts import DropPlace, Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM
from netsim.engine import Environment
from netsim.workload.packet_scenario import HOST, SWITCH
from netsim.workload.packets.run import PacketsRun

if TYPE_CHECKING:
    from netsim.workload.packets.tool import Packets


class SeveralRun(PacketsRun):
    """All adapters have the same load, so round robin gives each the same share of the uplink: an adapter's packets
    cross it at a constant rate, and wait in the adapter's FIFO."""

    def __init__(self, env: Environment, test: Packets) -> None:
        super().__init__(env, test)
        if test.switch is not None:
            self._shared = test.times_on(test.switch.uplink)
            self._shared_message = test.adapter.interrupt_time(test.switch.uplink)
            if test.adapters * self._shared[0] > test.link_times[0]:
                self.fifo = DropPlace(HOST, "adapter's FIFO", Resource(SWITCH, PCIE_UPSTREAM))

    def shares(self, on_wire: int, moved: int) -> dict[str, Any]:
        """See PacketRun."""
        now, queues, test = self.env.now, self.test.queues, self.test
        found = super().shares(on_wire, moved)
        occupied: dict[Resource, int] = {}
        frames: dict[Resource, int] = {}
        for number, link in enumerate(self.links):
            own, crossed = self.cores[number * queues : (number + 1) * queues], link.moved(now)
            given = number if test.adapters > 1 else None
            frames[Resource(HOST, CABLE, given)] = came = sum(one.queue.arrived for one in own)
            occupied[Resource(HOST, CABLE, given)] = came * self._wire
            messages = sum(one.interrupts for one in own) * self._message
            occupied[Resource(HOST, PCIE_UPSTREAM, given)] = crossed * self._up + messages
            occupied[Resource(HOST, PCIE_DOWNSTREAM, given)] = crossed * self._down
            occupied |= self.engines(crossed, self.rings[number * queues : (number + 1) * queues], given)
        if test.switch is not None:
            up, down = self._shared
            occupied[Resource(SWITCH, PCIE_UPSTREAM)] = moved * up + self.interrupts * self._shared_message
            occupied[Resource(SWITCH, PCIE_DOWNSTREAM)] = moved * down
        return found | {"occupied": occupied, "frames": frames}
