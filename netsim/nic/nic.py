"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from netsim.bus import BridgeSpec, PciBus, PciSpec
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.nic.crypto import CryptoEngine, CryptoSpec
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
    with stores each one as a whole before it is passed on to the host. IPsec can be left to its `crypto` engine.
    Its `registers` are I/O "ports", where a processor waits for each write, or lie in "memory", where the bridge posts
    them (PCI 2.1, 3.2.5). `read_multiple` says that it reads memory by Memory Read Multiple, of which a bridge fetches
    ahead as much as is wanted (PCI 2.2, 3.1.1). It has `bus_width` bytes of data lines (None: as many as its slot): a
    wider bus is not wider for it."""

    rate: BitRate
    max_frame: PositiveBytes
    rx_checksum: bool
    tx_checksum: bool
    doorbell_hold: Time = 0
    max_ports: Count = 1
    bridge: BridgeSpec | None = None
    onboard: OnboardSpec | None = None
    crypto: CryptoSpec | None = None
    registers: Literal["ports", "memory"] = "ports"
    read_multiple: bool = False
    bus_width: PositiveBytes | None = None

    def sees(self, bus: PciSpec) -> PciSpec:
        """A host's bus as it is from the chip's place."""
        near = self.bridge.behind(bus) if self.bridge else bus
        own = {}
        if self.read_multiple and near.read_prefetch:
            own["read_prefetch"] = 0
        if self.bus_width and self.bus_width < near.width:
            own["width"] = self.bus_width
        return near.model_copy(update=own) if own else near

    def rx_lead_time(self, pci: PciSpec, link: LinkSpec, size: int) -> int:
        """See ReceiverSpec: 0 where the firmware has to see the frame first."""
        return 0 if self.onboard else super().rx_lead_time(pci, link, size)

    def crypto_time(self, nbytes: int) -> int:
        """ps that the crypto engine takes for a frame of which it has `nbytes` to encipher or decipher, if any."""
        return self.crypto.time(nbytes) if self.crypto and nbytes else 0

    def tx_ahead(self, pci: PciSpec, link: LinkSpec, frame: Frame) -> int:
        """See TransmitterSpec: the crypto engine takes a frame when all of it is there."""
        if not frame.encipher:
            return super().tx_ahead(pci, link, frame)
        return self.tx_time(pci, frame.fetched, frame.first) + self.crypto_time(frame.encipher)

    def tx_latency(self, pci: PciSpec, frame: Frame) -> int:
        """ps from the doorbell until the wire starts with a frame, which nothing holds up."""
        firmware = self.onboard.tx_time if self.onboard else 0
        fetch = self.tx_time(pci, frame.buffer) if frame.encipher else self.tx_lead_time(pci, frame.buffer)
        return firmware + self.tx_wake_up + fetch + self.crypto_time(frame.encipher)

    def rx_latency(self, pci: PciSpec, link: LinkSpec, frame: Frame) -> int:
        """ps from the last bit until a frame is in memory, which nothing holds up."""
        firmware = self.onboard.rx_time if self.onboard else 0
        early = 0 if frame.decipher else self.rx_lead_time(pci, link, frame.buffer)
        return firmware + self.crypto_time(frame.decipher) + self.rx_time(pci, frame.buffer) - early


class Nic:
    """One port of an adapter in a running simulation: its two halves. `pci` is the bus as it sees it."""

    def __init__(self, env: Environment, spec: NicSpec, bus: PciBus, pci: PciSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.onboard = Onboard(env, spec.onboard) if spec.onboard else None
        self.crypto = CryptoEngine(env, spec.crypto) if spec.crypto else None
        self.transmitter = Transmitter(env, spec, bus, pci, self.onboard, self.crypto)
        self.receiver = Receiver(spec, bus, pci, self.onboard, self.crypto)
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
