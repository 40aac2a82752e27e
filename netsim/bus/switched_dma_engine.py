"""A device's DMA engine behind a switch: the arrival of its packets is not known when it sends them."""

from __future__ import annotations

from netsim.bus.dma_engine import DmaCommand, DmaEngine
from netsim.bus.dma_engine_spec import DmaEngineSpec
from netsim.bus.pcie_switch import PcieSwitchPort, Upward
from netsim.bus.root_complex import ReadRequest, RootComplex
from netsim.engine import Environment


class SwitchedDmaEngine(DmaEngine):
    """See DmaEngine. A write command ends when its last write has left the root complex's buffer."""

    def __init__(
        self, env: Environment, spec: DmaEngineSpec, port: PcieSwitchPort, request_bytes: int, memory: RootComplex
    ) -> None:
        super().__init__(env, spec, port.up, request_bytes, memory)
        self._port = port

    def _post(self, command: DmaCommand) -> None:
        nbytes, wire = command.writes[command.position]
        self.bytes_written += nbytes
        packet = Upward(wire, nbytes, command.page, None)
        if command.position == len(command.writes) - 1 and not command.reads:
            packet.written, packet.command = self._ends, command
        self._port.put(packet)
        self._go_on(command)

    def _send_request(self, request: ReadRequest) -> None:
        self._port.put(Upward(self._request_bytes, 0, request.page, request))
