"""An adapter as installed: a card, the driver that runs it, and how many of its ports are in use."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.host.driver_spec import DriverSpec
from netsim.nic import NicSpec
from netsim.units import Count


class AdapterSpec(NicSpec):
    """A card, its driver, and the number of its `ports` in use. By name: "card/driver", "card:ports/driver"."""

    driver: DriverSpec
    ports: Count = 1

    @model_validator(mode="after")
    def _capable(self) -> Self:
        """A driver can't leave to the card what the card can't do, nor use ports that it hasn't."""
        for way, can in (("rx_checksum", self.rx_checksum), ("tx_checksum", self.tx_checksum)):
            if getattr(self.driver, way) == "nic" and not can:
                text = f'"nic" needs a card that can; allowed here: "host" ({way} is false)'
                raise ScenarioError(text, address=f"driver.{way}")
        if self.ports > self.max_ports:
            raise ScenarioError(f"{self.ports} is not allowed; allowed: 1 to {self.max_ports}", address="ports")
        return self

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
