"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line."""

from __future__ import annotations

from collections.abc import Callable

from netsim.bus import BridgeSpec, PciBus, PciSpec
from netsim.engine import Environment
from netsim.ethernet import Link
from netsim.nic.receiver import Receiver, ReceiverSpec
from netsim.nic.transmitter import Transmitter, TransmitterSpec
from netsim.units import BitRate, Count, PositiveBytes, Time


class NicSpec(ReceiverSpec, TransmitterSpec):
    """An adapter's chip. `rx_checksum` says that it can check TCP and UDP sums of what it receives, `tx_checksum` that
    it can put them into what it sends; whether that is used is the driver's choice. `doorbell_hold` is how long
    it keeps a processor waiting that tells it of a frame to send (ps), beyond the access itself. A card has up to
    `max_ports` such chips, behind a `bridge` or directly on the bus."""

    rate: BitRate
    max_frame: PositiveBytes
    rx_checksum: bool
    tx_checksum: bool
    doorbell_hold: Time = 0
    max_ports: Count = 1
    bridge: BridgeSpec | None = None


class Nic:
    """One port of an adapter in a running simulation: its two halves. `pci` is the bus as it sees it."""

    def __init__(self, env: Environment, spec: NicSpec, bus: PciBus, pci: PciSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.transmitter = Transmitter(env, spec, bus, pci)
        self.receiver = Receiver(spec, bus, pci)
        self.drops = self.receiver.drops

    def connect(self, interrupt: Callable[[], None]) -> None:
        """Call `interrupt` where the chip would raise its interrupt line."""
        self.transmitter.interrupt = self.receiver.interrupt = interrupt

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        self.transmitter.link = out
        self.receiver.link_spec = into.spec
        into.attach(self.receiver)
