"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from netsim.bus import BridgeSpec, PciBus, PciSpec
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.nic.moderation import NONE, Moderation, Moderator
from netsim.nic.onboard import Onboard, OnboardSpec
from netsim.nic.receiver import Receiver, ReceiverSpec
from netsim.nic.transmitter import Transmitter
from netsim.nic.transmitter_spec import TransmitterSpec
from netsim.units import BitRate, Count, PositiveBytes, Time


class NicSpec(ReceiverSpec, TransmitterSpec):
    """An adapter's chip. `rx_checksum` says that it can check TCP and UDP sums of what it receives, `tx_checksum` that
    it can put them into what it sends; whether that is used is the driver's choice. `doorbell_hold` is how long
    it keeps a processor waiting that tells it of a frame to send (ps), beyond the access itself. A card has up to
    `max_ports` such chips, behind a `bridge` or directly on the bus. A chip whose frames an `onboard` processor deals
    with stores each one as a whole before it is passed on to the host. Its `registers` are I/O "ports", where a
    processor waits for each write, or lie in "memory", where the bridge posts them (PCI 2.1, 3.2.5). `read_multiple`
    says that it reads memory by Memory Read Multiple, of which a bridge fetches ahead as much as is wanted (PCI 2.2,
    3.1.1)."""

    rate: BitRate
    max_frame: PositiveBytes
    rx_checksum: bool
    tx_checksum: bool
    doorbell_hold: Time = 0
    max_ports: Count = 1
    bridge: BridgeSpec | None = None
    onboard: OnboardSpec | None = None
    registers: Literal["ports", "memory"] = "ports"
    read_multiple: bool = False

    def sees(self, bus: PciSpec) -> PciSpec:
        """A host's bus as it is from the chip's place."""
        near = self.bridge.behind(bus) if self.bridge else bus
        return near.model_copy(update={"read_prefetch": 0}) if self.read_multiple and near.read_prefetch else near

    def rx_lead_time(self, pci: PciSpec, link: LinkSpec, size: int) -> int:
        """See ReceiverSpec: 0 where the firmware has to see the frame first."""
        return 0 if self.onboard else super().rx_lead_time(pci, link, size)

    def tx_latency(self, pci: PciSpec, size: int) -> int:
        """ps from the doorbell until the wire starts with a frame of `size` bytes in memory, which nothing holds up."""
        firmware = self.onboard.tx_time if self.onboard else 0
        return firmware + self.tx_wake_up + self.tx_lead_time(pci, size)

    def rx_latency(self, pci: PciSpec, link: LinkSpec, size: int) -> int:
        """ps from the last bit until a frame of `size` bytes in memory is there, which nothing holds up."""
        firmware = self.onboard.rx_time if self.onboard else 0
        return firmware + self.rx_time(pci, size) - self.rx_lead_time(pci, link, size)


class Nic:
    """One port of an adapter in a running simulation: its two halves. `pci` is the bus as it sees it."""

    def __init__(self, env: Environment, spec: NicSpec, bus: PciBus, pci: PciSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.onboard = Onboard(env, spec.onboard) if spec.onboard else None
        self.transmitter = Transmitter(env, spec, bus, pci, self.onboard)
        self.receiver = Receiver(spec, bus, pci, self.onboard)
        self.drops = self.receiver.drops
        self.moderators: list[Moderator] = []

    def connect(self, interrupt: Callable[[], None], rx: Moderation = NONE, tx: Moderation = NONE) -> None:
        """Call `interrupt` where the chip would raise its interrupt line, for frames received and sent."""
        self.transmitter.interrupt = self._moderated(tx, interrupt)
        if self.spec.rx_seen == "stored":
            self.receiver.interrupt = self._moderated(rx, interrupt)
            return

        def report() -> None:
            self.receiver.report()
            interrupt()

        moderator = rx.moderator(self.env, report)  # a look at the ring does not clear what it has to report
        self.receiver.interrupt = report if moderator is None else moderator.event

    def _moderated(self, policy: Moderation, interrupt: Callable[[], None]) -> Callable[[], None]:
        moderator = policy.moderator(self.env, interrupt)
        if moderator is None:
            return interrupt
        self.moderators.append(moderator)
        return moderator.event

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        self.transmitter.link = out
        self.receiver.link_spec = into.spec
        into.attach(self.receiver)
