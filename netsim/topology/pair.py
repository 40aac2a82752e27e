"""What every test between two hosts shares: the machines and the cables between them."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec, EspSpec
from netsim.topology.cabling import check_host, check_ipsec, check_mtu
from netsim.units import Mtu


class Pair(Scenario):
    """Two hosts with a cable between their first ports, or one between each two ports if these are bonded. `mtu` is in
    bytes. All TCP traffic goes under `ipsec`, such as "3des-cbc/hmac-sha-1-96" (None: in clear). Without
    names: sender, receiver."""

    positional: ClassVar[tuple[str, ...]] = ("sender", "receiver")

    sender: ComputerSpec
    receiver: ComputerSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: Mtu = 1500
    ipsec: EspSpec | None = None

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """The link carries the mtu, and both adapters do the link."""
        check_mtu(self.mtu, self.link)
        for name, host in (("sender", self.sender), ("receiver", self.receiver)):
            check_host(name, host, self.link, self.mtu)
            check_ipsec(name, host, self.ipsec, self.mtu)
        if _cables(self.sender) != _cables(self.receiver):
            text = f"{_cables(self.receiver)} ports can't be cabled to {_cables(self.sender)} of the sender"
            raise ScenarioError(text, address="receiver.nics")
        return self

    @property
    def ends(self) -> tuple[ComputerSpec, ComputerSpec]:
        """Both hosts as they are on a connection that the sender opens."""
        return self.sender.under(self.ipsec), self.receiver.answering(self.sender).under(self.ipsec)

    @property
    def cables(self) -> int:
        """How many there are."""
        return _cables(self.sender)

    def wires(self, number: int) -> tuple[Resource, Resource]:
        """A cable's two directions."""
        shown = number if self.cables > 1 else None
        return Resource("receiver", CABLE, shown), Resource("sender", CABLE, shown)


def _cables(host: ComputerSpec) -> int:
    """How many cables go into a host: into each port of a bond, else into its first."""
    return len(host.ports()) if host.bond else 1
