"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self

from pydantic import model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import CRYPTO_ENGINE, ONBOARD, RECEIVER, RX_MODERATION, TRANSMITTER, TX_MODERATION
from netsim.bus import BridgeSpec, Bus, BusSpec, EisaSpec, PciSpec
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame, Link, Mac, Medium
from netsim.nic.card import CardSpec
from netsim.nic.crypto import CryptoEngine, CryptoSpec
from netsim.nic.half_duplex import MasterTransmitter
from netsim.nic.moderation import NONE, Moderation, Moderator
from netsim.nic.onboard import Onboard, OnboardSpec
from netsim.nic.receiver import Receiver, ReceiverSpec
from netsim.nic.transmitter import Transmitter
from netsim.nic.transmitter_spec import TransmitterSpec


class NicSpec(ReceiverSpec, TransmitterSpec, CardSpec):
    """The chip of an adapter that is a bus master. `rx_checksum` says that it can check TCP and UDP sums of what it
    receives, `tx_checksum` that it can put them into what it sends; whether that is used is the driver's choice. Each
    port is a chip of its own, behind a `bridge` or directly on the bus. A chip whose frames an `onboard` processor
    deals with stores each one as a whole before it is passed on to the host. IPsec can be left to its `crypto` engine.
    It moves data in "standard" cycles, or an EISA card in "burst" cycles (`bus_cycle`). `read_multiple` says that it
    reads memory by Memory Read Multiple, of which a bridge fetches ahead as much as is wanted (PCI 2.2, 3.1.1)."""

    moved_by: Literal["adapter"] = "adapter"
    rx_checksum: bool
    tx_checksum: bool
    bridge: BridgeSpec | None = None
    onboard: OnboardSpec | None = None
    crypto: CryptoSpec | None = None
    bus_cycle: Literal["standard", "burst"] = "standard"
    read_multiple: bool = False

    @model_validator(mode="after")
    def _of_its_standard(self) -> Self:
        """A card has nothing that only another standard has."""
        for name, given, owner, plain in (
            ("bus_cycle", self.bus_cycle == "burst", "eisa", '"standard"'),
            ("bridge", self.bridge is not None, "pci", "none"),
            ("read_multiple", self.read_multiple, "pci", "false"),
        ):
            if given and self.bus_standard != owner:
                text = f'only for cards with bus_standard "{owner}"; allowed here: {plain} ("{self.bus_standard}")'
                raise ScenarioError(text, address=name)
        return self

    def _near(self, bus: BusSpec) -> BusSpec:
        if isinstance(bus, PciSpec):
            behind = self.bridge.behind(bus) if self.bridge else bus
            return behind.model_copy(update={"read_prefetch": 0}) if self.read_multiple else behind
        near = super()._near(bus)
        return near.without_bursts() if isinstance(near, EisaSpec) and self.bus_cycle == "standard" else near

    def rx_lead_time(self, seen: BusSpec, link: Medium, size: int) -> int:
        """0 where the firmware has to see the frame first."""
        return 0 if self.onboard else super().rx_lead_time(seen, link, size)

    def crypto_time(self, nbytes: int) -> int:
        """ps that the crypto engine takes for a frame of which it has `nbytes` to encipher or decipher, if any."""
        return self.crypto.time(nbytes) if self.crypto and nbytes else 0

    def tx_ahead(self, seen: BusSpec, link: Medium, frame: Frame) -> int:
        """The crypto engine takes a frame when all of it is there."""
        if not frame.encipher:
            return super().tx_ahead(seen, link, frame)
        return self.tx_time(seen, frame.fetched, frame.first) + self.crypto_time(frame.encipher)

    def tx_latency(self, seen: BusSpec, frame: Frame) -> int:
        """ps from the doorbell until the wire starts with a frame, with everything idle."""
        firmware = self.onboard.tx_time if self.onboard else 0
        fetch = self.tx_time(seen, frame.buffer) if frame.encipher else self.tx_lead_time(seen, frame.buffer)
        return firmware + self.tx_wake_up + fetch + self.crypto_time(frame.encipher)

    def rx_latency(self, seen: BusSpec, link: Medium, frame: Frame) -> int:
        """ps from the last bit until a frame is in memory, with everything idle."""
        firmware = self.onboard.rx_time if self.onboard else 0
        early = 0 if frame.decipher else self.rx_lead_time(seen, link, frame.buffer)
        return firmware + self.crypto_time(frame.decipher) + self.rx_time(seen, frame.buffer) - early


class Nic:
    """One port of an adapter in a running simulation: its two halves, for a cable of its own or, `half_duplex`, for a
    shared segment. It has this `number` in `host`; `seen` is the bus as it sees it."""

    def __init__(
        self, env: Environment, spec: NicSpec, bus: Bus, seen: BusSpec, host: str, number: int, *,
        half_duplex: bool = False,
    ) -> None:
        self.env = env
        self.spec = spec
        self.host = host
        self.number = number
        self.name = f"{host} nic {number}"
        self.resume: Callable[[object], None] | None = None  # it goes on with what it has by itself
        self.onboard = env.part(Onboard)(env, spec.onboard, self._part(ONBOARD)) if spec.onboard else None
        self.crypto = env.part(CryptoEngine)(env, spec.crypto, self._part(CRYPTO_ENGINE)) if spec.crypto else None
        self.given_up: dict[Frame, int] = {}
        self.transmitter: Transmitter | MasterTransmitter
        sends, receives = self._part(TRANSMITTER), self._part(RECEIVER)
        if half_duplex:
            self.transmitter = env.part(MasterTransmitter)(env, spec, bus, seen, sends, self.onboard)
            self.given_up = self.transmitter.given_up
        else:
            self.transmitter = env.part(Transmitter)(env, spec, bus, seen, sends, self.onboard, self.crypto)
        self.receiver = env.part(Receiver)(spec, bus, seen, receives, self.onboard, self.crypto)
        self.drops = self.receiver.drops
        self.moderators: list[Moderator] = []

    def _part(self, kind: str) -> Resource:
        return Resource(self.host, kind, self.number)

    def connect(self, interrupt: Callable[[], None], rx: Moderation = NONE, tx: Moderation = NONE) -> None:
        """Call `interrupt` where the chip would raise its interrupt line, for frames received and sent."""
        self.transmitter.interrupt = self._moderated(tx, interrupt, TX_MODERATION)
        if self.spec.rx_seen == "stored":
            self.receiver.interrupt = self._moderated(rx, interrupt, RX_MODERATION)
            return

        def report() -> None:
            self.receiver.report()
            interrupt()

        # A look at the ring does not clear what it has to report.
        moderator = rx.moderator(self.env, report, self._part(RX_MODERATION))
        self.receiver.interrupt = report if moderator is None else moderator.event

    def _moderated(self, policy: Moderation, interrupt: Callable[[], None], kind: str) -> Callable[[], None]:
        moderator = policy.moderator(self.env, interrupt, self._part(kind))
        if moderator is None:
            return interrupt
        self.moderators.append(moderator)
        return moderator.event

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        assert isinstance(self.transmitter, Transmitter)
        self.transmitter.link = out
        self.receiver.link_spec = into.spec
        into.attach(self.receiver)

    def join(self, mac: Mac, medium: Medium) -> None:
        """Send and receive by `mac`, on a shared `medium`."""
        assert isinstance(self.transmitter, MasterTransmitter)
        self.transmitter.mac = mac
        self.transmitter.medium = self.receiver.link_spec = medium
        mac.attach(self.receiver)

    @property
    def wire(self) -> str | None:
        """The name of what it sends on; None: it has no cable."""
        transmitter = self.transmitter
        if isinstance(transmitter, Transmitter):
            return transmitter.link.name if transmitter.link else None
        return transmitter.mac.wire if transmitter.mac else None
