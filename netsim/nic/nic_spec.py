"""The chip of a bus-master adapter, and its time for a frame on an idle bus."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.bus import BridgeSpec, EisaSpec, MaxRead, Outstanding, PciSlot, PcixSlot, ReadCommands, Slot
from netsim.errors import ScenarioError
from netsim.ethernet import Frame, Medium
from netsim.nic.card import CardSpec
from netsim.nic.crypto_spec import CryptoSpec
from netsim.nic.onboard_spec import OnboardSpec
from netsim.nic.receiver_spec import ReceiverSpec
from netsim.nic.transmitter_spec import TransmitterSpec
from netsim.units import RetryClocks

_AFTER_RESET = 512  # bytes: PCI-X 1.0a, chapter 7
_IN_PCI_SLOTS = ("read_commands", "retry_clocks")  # settings that a PCI-X card has there, too


class NicSpec(ReceiverSpec, TransmitterSpec, CardSpec):
    """The chip of an adapter that is a bus master. With `rx_checksum` it can verify the TCP and UDP checksums of frames
    that it receives, with `tx_checksum` it can insert them into frames that it sends; the driver chooses whether to use
    this. Each port is a separate chip, behind a `bridge` or directly on the bus. A chip with an `onboard` processor
    stores each received frame as a whole before it passes the frame on to the host. A host can leave IPsec to its
    `crypto` engine. It moves data in "standard" cycles, or an EISA card in "burst" cycles (`bus_cycle`). On PCI it
    reads memory by `read_commands`: always by Memory Read ("read"), Memory Read Line or Memory Read Multiple, or by the
    command that PCI 2.2, 3.1.1 recommends for the length ("by-length"); a bridge fetches ahead accordingly. If the
    bridge makes it retry until memory has answered, it begins an attempt every `retry_clocks` of the bus (0: as soon as
    memory has answered). On PCI-X it requests up to `max_read` bytes at once, and has up to `outstanding` such requests
    under way.
    """

    moved_by: Literal["adapter"] = "adapter"
    rx_checksum: bool
    tx_checksum: bool
    bridge: BridgeSpec | None = None
    onboard: OnboardSpec | None = None
    crypto: CryptoSpec | None = None
    bus_cycle: Literal["standard", "burst"] = "standard"
    read_commands: ReadCommands = "by-length"
    retry_clocks: RetryClocks = 0
    max_read: MaxRead = 512
    outstanding: Outstanding = 1

    @property
    def firmware(self) -> OnboardSpec | None:
        """The onboard processor with all that it is asked to do."""
        return self.onboard

    @model_validator(mode="after")
    def _of_its_standard(self) -> Self:
        """A card has no setting that belongs only to another standard."""
        for name, given, owner, plain in (
            ("bus_cycle", self.bus_cycle == "burst", "eisa", '"standard"'),
            ("bridge", self.bridge is not None, "pci", "none"),
            ("read_commands", self.read_commands != "by-length", "pci", '"by-length"'),
            ("retry_clocks", self.retry_clocks > 0, "pci", "0"),
            ("max_read", self.max_read != _AFTER_RESET, "pci-x", str(_AFTER_RESET)),
            ("outstanding", self.outstanding > 1, "pci-x", "1"),
        ):
            both = (owner, "pci-x") if name in _IN_PCI_SLOTS else (owner,)
            if given and self.bus_standard not in both:
                text = f'only for cards with bus_standard "{owner}"; allowed here: {plain} ("{self.bus_standard}")'
                raise ScenarioError(text, address=name)
        return self

    @model_validator(mode="after")
    def _fifos_suffice(self) -> Self:
        """A FIFO holds a frame, or at least a burst and what has to be there before sending or storing begins. Engines
        on the card handle whole frames."""
        whole = self.max_frame if self.onboard or self.crypto else 0
        stored = whole if self.tx_stored is None else self.max_frame
        for way, fifo, needs in (
            ("rx", self.rx_fifo, {"rx_threshold": self.rx_threshold, "rx_burst": self.rx_burst, "max_frame": whole}),
            ("tx", self.tx_fifo, {"tx_threshold": self.tx_threshold, "tx_burst": self.tx_burst, "max_frame": stored}),
        ):
            name = max(needs, key=lambda one: needs[one])
            least = min(needs[name], self.max_frame)
            if fifo < least:
                most = ", a frame," if least == self.max_frame else ""
                text = f"{fifo} B is too small for {name}, {needs[name]} B; allowed: {least} B{most} or more"
                raise ScenarioError(text, address=f"{way}_fifo")
        return self

    def _near(self, bus: Slot) -> Slot:
        near = super()._near(bus)
        if isinstance(near, PciSlot):
            own = {name: getattr(self, name) for name in ("bridge", "read_commands", "retry_clocks")}
            return near.unchecked(**own)
        if isinstance(near, PcixSlot):
            return near.unchecked(max_read=self.max_read, outstanding=self.outstanding)
        return near.without_bursts() if isinstance(near, EisaSpec) and self.bus_cycle == "standard" else near

    def rx_lead_time(self, seen: Slot, link: Medium, size: int) -> int:
        """0 if the firmware has to see the frame first."""
        return 0 if self.onboard else super().rx_lead_time(seen, link, size)

    def crypto_time(self, nbytes: int) -> int:
        """ps that the crypto engine takes to encipher or decipher `nbytes` of a frame, if any."""
        return self.crypto.time(nbytes) if self.crypto and nbytes else 0

    def tx_ahead(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """The crypto engine takes a frame once all of it is there."""
        if not frame.encipher:
            return super().tx_ahead(seen, link, frame)
        return self.tx_time(seen, frame.fetched, frame.first) + self.crypto_time(frame.encipher)

    def tx_latency(self, seen: Slot, frame: Frame) -> int:
        """ps from the doorbell until the wire starts with a frame, with everything idle."""
        firmware = self.firmware.tx_time if self.firmware else 0
        fetch = self.tx_time(seen, frame.buffer) if frame.encipher else self.tx_lead_time(seen, frame.buffer)
        return firmware + self.tx_wake_up + fetch + self.crypto_time(frame.encipher)

    def rx_latency(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """ps from the last bit until a frame is in memory, with everything idle."""
        firmware = self.firmware.rx_time if self.firmware else 0
        early = 0 if frame.decipher else self.rx_lead_time(seen, link, frame.buffer)
        return firmware + self.crypto_time(frame.decipher) + self.rx_time(seen, frame.buffer) - early
