"""An adapter as installed: a card, the driver that runs it, and how many of its ports are in use."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.host.driver_spec import DriverSpec
from netsim.nic import NicSpec
from netsim.units import Count, NonNegativeCount

_LARGEST = 65_495  # bytes: IP's total length without the least headers of IP and TCP


class AdapterSpec(NicSpec):
    """A card, its driver, the number of its `ports` in use, and the number of the host's bus whose `slot` it is in (0:
    `bus`; then its `peers`). By name: "card/driver", "card:ports/driver"."""

    driver: DriverSpec
    ports: Count = 1
    slot: NonNegativeCount = 0

    @model_validator(mode="after")
    def _capable(self) -> Self:
        """A driver can't leave to the card what the card can't do, nor use ports that it hasn't."""
        for way, can, why in (
            ("rx_checksum", self.rx_checksum, "rx_checksum is false"),
            ("tx_checksum", self.tx_checksum, "tx_checksum is false"),
            ("ipsec", self.crypto is not None, "it has no crypto engine"),
        ):
            if getattr(self.driver, way) == "nic" and not can:
                text = f'"nic" needs a card that can; allowed here: "host" ({why})'
                raise ScenarioError(text, address=f"driver.{way}")
        self._check_large_send()
        if self.ports > self.max_ports:
            raise ScenarioError(f"{self.ports} is not allowed; allowed: 1 to {self.max_ports}", address="ports")
        return self

    def _check_large_send(self) -> None:
        """A card that cuts is the only one to see the segments, so it has to sum them; what it is handed has one IP
        header, with a length of 16 bits (RFC 791, 3.1)."""
        size = self.driver.large_send
        text = ""
        if size and not self.tx_segmentation:
            text = f"{size} bytes need a card that can cut them; allowed here: 0 (tx_segmentation is false)"
        elif size and self.driver.tx_checksum == "host":
            text = f'{size} bytes are summed by the card that cuts them; allowed here: 0 (driver.tx_checksum is "host")'
        elif size > _LARGEST:
            text = f"{size} bytes have no room behind one IP header; allowed: 0 to {_LARGEST}"
        if text:
            raise ScenarioError(text, address="driver.large_send")

    def offloads(self, cipher: str, authentication: str, mode: str, peers: int) -> bool:
        """Whether the driver leaves the IPsec of one more peer to the card, which does that of so many `peers`."""
        able = self.crypto is not None and self.crypto.does(cipher, authentication, mode, peers)
        return able and self.driver.ipsec == "nic"

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The card and the driver with these catalogue names, as "card/driver" or "card:ports/driver". Raises
        ScenarioError."""
        first, _, driver = name.partition("/")
        card, colon, ports = first.partition(":")
        catalog.path("nics", card)
        if not driver:
            listed = ", ".join(f"{card}/{one}" for one in catalog.names("drivers"))
            raise ScenarioError(f'"{card}" names a card and no driver; write one of {listed}')
        more = {"ports": ports} if colon else {}
        return cls.from_catalog("nics", card, driver=DriverSpec.from_name(driver), **more)
