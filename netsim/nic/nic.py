"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line."""

from __future__ import annotations

from collections.abc import Callable

from netsim.accounts import Resource
from netsim.accounts.resource import CRYPTO_ENGINE, ONBOARD, RECEIVER, RX_MODERATION, TRANSMITTER, TX_MODERATION
from netsim.bus import Bus, Slot
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, Mac, Medium
from netsim.nic.crypto import CryptoEngine
from netsim.nic.half_duplex import MasterTransmitter
from netsim.nic.moderation import Moderator
from netsim.nic.moderation_spec import NONE, Moderation
from netsim.nic.nic_spec import NicSpec
from netsim.nic.onboard import Onboard
from netsim.nic.receiver import Receiver
from netsim.nic.transmitter import Transmitter


class Nic:
    """One port of an adapter in a running simulation: its two halves, for a separate cable or, with `half_duplex`, for
    a shared segment. It has this `number` in `host`; `seen` is the bus from its point of view."""

    def __init__(
        self, env: Environment, spec: NicSpec, bus: Bus, seen: Slot, host: str, number: int, *,
        half_duplex: bool = False,
    ) -> None:
        self.env = env
        self.spec = spec
        self.host = host
        self.number = number
        self.name = f"{host} nic {number}"
        self.onboard = env.part(Onboard)(env, spec.firmware, self._part(ONBOARD)) if spec.firmware else None
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

    def connect(
        self, interrupt: Callable[[], None], rx: Moderation = NONE, tx: Moderation = NONE,
        sent: Callable[[], None] | None = None,
    ) -> None:
        """Call `interrupt` where the chip would raise its interrupt line, for received frames, and for sent ones unless
        `sent` is given for these."""
        told, found = self.spec.tx_seen == "done", self.spec.rx_seen == "stored"
        self.moderators.clear()

        def report() -> None:
            self.receiver.report()
            interrupt()

        self.transmitter.interrupt = self._moderated(tx, interrupt if sent is None else sent, TX_MODERATION, told)
        self.receiver.interrupt = self._moderated(rx, interrupt if found else report, RX_MODERATION, found)

    def _moderated(
        self, policy: Moderation, interrupt: Callable[[], None], kind: str, cleared: bool
    ) -> Callable[[], None]:
        """The function to call for an event. If the driver finds the end of a ring by an index, a look at the ring
        clears nothing."""
        moderator = policy.moderator(self.env, interrupt, self._part(kind))
        if moderator is None:
            return interrupt
        if cleared:
            self.moderators.append(moderator)
        return moderator.event

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        assert isinstance(self.transmitter, Transmitter)
        self.transmitter.link = out
        self.receiver.link_spec = into.spec
        into.attach(self.receiver)

    def join(self, mac: Mac, medium: Medium) -> None:
        """Send and receive through `mac`, on a shared `medium`."""
        assert isinstance(self.transmitter, MasterTransmitter)
        self.transmitter.mac = mac
        self.transmitter.medium = self.receiver.link_spec = medium
        mac.attach(self.receiver)

    @property
    def wire(self) -> Resource | None:
        """The name of the wire on which it sends; None: it has no cable."""
        transmitter = self.transmitter
        if isinstance(transmitter, Transmitter):
            return transmitter.link.name if transmitter.link else None
        return transmitter.mac.wire if transmitter.mac else None
