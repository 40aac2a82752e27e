"""An adapter as installed: a card, the driver that runs it, and how many of its ports are in use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

from pydantic import field_validator, model_validator

from netsim import catalog
from netsim.bus import Slot
from netsim.errors import ScenarioError, show
from netsim.ethernet import Frame, Medium
from netsim.ethernet.frame import FCS
from netsim.machine.bill import Bill
from netsim.machine.driver_spec import DriverSpec
from netsim.nic import CardSpec, NicSpec, SlaveSpec
from netsim.nic.onboard_spec import OnboardSpec
from netsim.spec import NONE
from netsim.units import Irq, NonNegativeCount, Parts, total
from netsim.units.swept import Swept

_LARGEST = 65_495  # bytes: IP's largest total length less the smallest IP and TCP headers


class InstalledSpec(CardSpec):
    """A card, its driver, the number of its `ports` in use, and in `slot` the number of the host's bus that it is on
    (0: `bus`; from 1 on: `peers`). It can be given by name: "card/driver" or "card:ports/driver". `moved_by` says
    whether the "adapter" or the host's "processor" moves data over the bus. Its ports use the host's interrupt lines
    `irqs`, in turn (PCI-PCI bridge 1.2, table 9-1: INTA# to INTD#, by the number of the device behind the bridge);
    without `irqs`, each port has its own line."""

    tag = "moved_by"

    moved_by: str = "adapter"
    driver: DriverSpec
    ports: Parts = 1
    slot: NonNegativeCount = 0
    irqs: tuple[Irq, ...] = ()

    @model_validator(mode="after")
    def _enough_ports(self) -> Self:
        if self.ports > self.max_ports:
            raise ScenarioError(f"{self.ports} is not allowed; allowed: 1 to {self.max_ports}", address="ports")
        if len(self.irqs) > self.ports:
            text = f"{len(self.irqs)} lines are more than the ports in use ({self.ports}); allowed: up to {self.ports}"
            raise ScenarioError(text, address="irqs")
        return self

    @field_validator("irqs", mode="before")
    @classmethod
    def _one_line(cls, given: object) -> object:
        """A single number applies to all ports; "none" means no lines."""
        if given == NONE:
            return ()
        return (given,) if isinstance(given, int | str | Swept) else given

    @property
    def lines(self) -> tuple[int | None, ...]:
        """The line of each port in use; None: its own line."""
        return tuple(self.irqs[port % len(self.irqs)] if self.irqs else None for port in range(self.ports))

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The card and driver with these catalogue names: "card/driver" or "card:ports/driver". Raises
        ScenarioError."""
        first, _, driver = name.partition("/")
        card, colon, ports = first.partition(":")
        catalog.path("nics", card)
        if not driver:
            listed = ", ".join(f"{card}/{one}" for one in catalog.drivers_of(card) or catalog.names("drivers"))
            raise ScenarioError(f'"{card}" names a card without a driver; allowed: {listed}')
        catalog.path("drivers", driver)
        catalog.check_card(card, driver)
        more = {"ports": ports} if colon else {}
        return cls.from_catalog("nics", card, driver=DriverSpec.from_name(driver), **more)

    def offloads(self, cipher: str, authentication: str, mode: str, peers: int) -> bool:
        """Whether the driver leaves IPsec for one more peer to the card, which already handles it for `peers` peers."""
        return False

    # ---- cost of moving a frame between card and memory ----

    @abstractmethod
    def moved_first(self, nbytes: int) -> int:
        """How many bytes of a frame of `nbytes` the processor moves before the card may begin to send it."""

    @abstractmethod
    def bill_out(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        """The processor's costs of moving `nbytes` to the card over `bus`, number `slot` of the host."""

    @abstractmethod
    def bill_in(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        """The processor's costs of moving `nbytes` from the card."""

    @abstractmethod
    def tx_bus_time(self, seen: Slot, size: int, first: bool = True) -> int:
        """ps for which the card itself occupies the bus to fetch a frame of `size` bytes in memory."""

    @abstractmethod
    def rx_bus_time(self, seen: Slot, size: int) -> int:
        """ps for which the card itself occupies the bus to store a frame of `size` bytes in memory."""

    @abstractmethod
    def transmit_interval(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """The least ps between the starts of two frames like `frame`, as limited by the adapter and the wire alone."""

    def transmit_time(self, seen: Slot, link: Medium, frames: Sequence[tuple[float, Frame]]) -> float:
        """The least ps in which `frames`, each with its count, leave in any order, as limited by the adapter and the
        wire alone."""
        return total(count * self.transmit_interval(seen, link, frame) for count, frame in frames)

    @abstractmethod
    def ahead(self, bus: Slot, frame: Frame) -> int:
        """ps from the doorbell until a frame may go on the wire, with everything idle."""

    @abstractmethod
    def behind(self, bus: Slot, medium: Medium, frame: Frame, handling: int) -> int:
        """ps from a frame's last bit until its driver, which takes `handling` ps for the frame, is called; negative if
        it is called earlier."""


class SlaveAdapterSpec(SlaveSpec, InstalledSpec):
    """A card whose data the host's processor moves."""

    @model_validator(mode="after")
    def _divided(self) -> Self:
        """The card has room for what its driver stores there: `rx_ring_bytes`, and whole frames to be sent. In pages
        each frame of `tx_ring` has its own place; a FIFO of bytes empties as it sends, and holds at least one frame."""
        frames = self.driver.tx_ring if self.page > 1 else 1
        buffers = frames * -(-(self.max_frame - FCS) // self.page) * self.page
        left = self.buffer - (self.tx_buffer if self.driver.enough else buffers)
        if self.driver.rx_ring_bytes > left:
            text = f"{self.driver.rx_ring_bytes} bytes don't fit into the card's {self.buffer} besides frames to send"
            raise ScenarioError(f"{text}; allowed: 0 to {max(left, 0)}", address="driver.rx_ring_bytes")
        return self

    @model_validator(mode="after")
    def _goes_on(self) -> Self:
        """A driver that has to start the next frame must be notified of each frame sent."""
        policy = self.driver.tx_interrupt.policy
        if not self.tx_chained and policy != "every-frame":
            text = f'"{policy}" would leave frames unsent: this card needs an interrupt after every frame'
            text += ' (tx_chained is false); allowed here: "every-frame"'
            raise ScenarioError(text, address="driver.tx_interrupt.policy")
        return self

    @model_validator(mode="after")
    def _minded(self) -> Self:
        """A driver that checks the room in a FIFO needs a card with one, and must leave room for the longest frame."""
        enough, least = self.driver.enough, self.tx_header + self.max_frame
        if enough and not least <= enough < self.tx_buffer:
            allowed = f"0, or {least} to below {self.tx_buffer}" if least < self.tx_buffer else "0"
            text = f"{enough} bytes are too few for the longest frame, or too many for the card's FIFO"
            raise ScenarioError(f"{text}; allowed: {allowed}", address="driver.tx_interrupt.free")
        return self

    @model_validator(mode="after")
    def _plain(self) -> Self:
        """Its driver leaves no checksum, IPsec or segmentation to the card, which is only memory with a transceiver."""
        driver = self.driver
        for way, given, allowed in (
            ("rx_checksum", driver.rx_checksum == "nic", '"move", "copy", "host"'),
            ("tx_checksum", driver.tx_checksum == "nic", '"host"'),
            ("ipsec", driver.ipsec == "nic", '"host"'),
            ("large_send", driver.large_send > 0, "0"),
        ):
            if given:
                text = f"{show(getattr(driver, way))} is not possible with this card; allowed here: {allowed}"
                raise ScenarioError(text, address=f"driver.{way}")
        return self

    def bill_out(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        return bill.move(self.path, bus, nbytes, write=True, slot=slot)

    def bill_in(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        return bill.move(self.path, bus, nbytes, write=False, slot=slot)

    def tx_bus_time(self, seen: Slot, size: int, first: bool = True) -> int:
        """0: the processor takes the bus."""
        return 0

    def rx_bus_time(self, seen: Slot, size: int) -> int:
        """0: the processor takes the bus."""
        return 0

    @property
    def calls_early(self) -> bool:
        return self.driver.early and super().calls_early

    def rx_lead_time(self, medium: Medium, size: int, handling: int) -> int:
        return super().rx_lead_time(medium, size, handling) if self.driver.early else 0

    def moved_first(self, nbytes: int) -> int:
        return super().moved_first(nbytes) if self.driver.early else nbytes

    def transmit_interval(self, seen: Slot, link: Medium, frame: Frame) -> int:
        """A frame's time on the wire, plus the time that the chip needs to continue by itself, if that is longer than
        the gap."""
        return max(link.frame_time(frame.size), link.sending_time(frame.size) + self.tx_turnaround)

    def ahead(self, bus: Slot, frame: Frame) -> int:
        """0: the frame is in the card's memory."""
        return 0

    def behind(self, bus: Slot, medium: Medium, frame: Frame, handling: int) -> int:
        return -self.rx_lead_time(medium, frame.size, handling)


class AdapterSpec(NicSpec, InstalledSpec):
    """A bus master."""

    @model_validator(mode="after")
    def _capable(self) -> Self:
        """A driver can't leave work to the card that the card can't do, nor use ports that the card doesn't have."""
        for way, can, why in (
            ("rx_checksum", self.rx_checksum, "rx_checksum is false"),
            ("tx_checksum", self.tx_checksum, "tx_checksum is false"),
            ("ipsec", self.crypto is not None, "it has no crypto engine"),
        ):
            if getattr(self.driver, way) == "nic" and not can:
                text = f'"nic" is not possible with this card ({why}); allowed here: "host"'
                raise ScenarioError(text, address=f"driver.{way}")
        self._check_large_send()
        if self.driver.rx_checksum == "move":
            text = '"move" needs a card that is not a bus master; allowed here: "nic", "copy", "host"'
            raise ScenarioError(text, address="driver.rx_checksum")
        if self.driver.frees == "moved":
            text = '"moved" needs a card that is not a bus master; allowed here: "any", "transmit"'
            raise ScenarioError(text, address="driver.frees")
        if self.driver.told_of_room:
            text = f'"{self.driver.tx_interrupt.policy}" needs a card that is not a bus master'
            raise ScenarioError(f'{text}; allowed here: "every-frame" and others', address="driver.tx_interrupt.policy")
        return self

    def _check_large_send(self) -> None:
        """Only the card sees the segments that it cuts, so it has to compute their checksums; the data handed to it
        have one IP header, with a 16-bit length (RFC 791, 3.1)."""
        size = self.driver.large_send
        text = ""
        if size and not self.tx_segmentation:
            text = f"{size} is not possible with this card (tx_segmentation is false); allowed here: 0"
        elif size and self.driver.tx_checksum == "host":
            text = f'{size} bytes need checksums by the card, too (driver.tx_checksum is "host"); allowed here: 0'
        elif size > _LARGEST:
            text = f"{size} bytes don't fit into one IP packet; allowed: 0 to {_LARGEST}"
        if text:
            raise ScenarioError(text, address="driver.large_send")

    @property
    def firmware(self) -> OnboardSpec | None:
        return self.onboard and self.onboard.driven(self.driver.tx_ring_in, self.driver.tx_checksum)

    @property
    def descriptor_fetched(self) -> int:
        return self.tx_descriptor if self.driver.tx_ring_in == "host" else 0

    def offloads(self, cipher: str, authentication: str, mode: str, peers: int) -> bool:
        able = self.crypto is not None and self.crypto.does(cipher, authentication, mode, peers)
        return able and self.driver.ipsec == "nic"

    def tx_together(self, nbytes: int) -> int:
        buffer = self.driver.tx_buffer
        return nbytes if buffer is None else min(buffer, nbytes)

    def moved_first(self, nbytes: int) -> int:
        """All: the card fetches frames itself."""
        return nbytes

    def bill_out(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        """Nothing: the card fetches frames itself."""
        return bill

    def bill_in(self, bill: Bill, bus: Slot, slot: int, nbytes: int) -> Bill:
        """Nothing: the card stores frames itself."""
        return bill

    def ahead(self, bus: Slot, frame: Frame) -> int:
        return self.tx_latency(bus, frame)

    def behind(self, bus: Slot, medium: Medium, frame: Frame, handling: int) -> int:
        return self.rx_latency(bus, medium, frame)
