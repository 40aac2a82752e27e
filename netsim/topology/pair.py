"""What every test between two hosts shares: the machines, the cables between them, and the accounts of both."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec
from netsim.scenario import Run, Scenario
from netsim.stack import Computer, ComputerSpec, EspSpec
from netsim.topology.cabling import check_host, check_ipsec, check_mtu
from netsim.topology.ledger import Ledger
from netsim.units import PositiveBytes


class Pair(Scenario):
    """Two hosts with a cable between their first ports, or one between each two ports if these are bonded. `mtu` is in
    bytes. All TCP traffic goes under `ipsec`, such as "3des-cbc/hmac-sha-1-96" (None: in clear). Without
    names: sender, receiver."""

    positional: ClassVar[tuple[str, ...]] = ("sender", "receiver")

    sender: ComputerSpec
    receiver: ComputerSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: PositiveBytes = 1500
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


class PairRun(Run):
    """Two computers and their cables in a running simulation. The computers may differ from the test's own in what the
    tool sets up."""

    def __init__(self, env: Environment, test: Pair, sender: ComputerSpec, receiver: ComputerSpec) -> None:
        self.env = env
        part = env.part(Computer)
        self.sender = part(env, sender.under(test.ipsec), "sender")
        self.receiver = part(env, receiver.answering(sender).under(test.ipsec), "receiver")
        links = [link for number in range(test.cables) for link in self._cable(test, number)]
        self.ledger = Ledger(env, {"sender": self.sender, "receiver": self.receiver}, links)

    def _cable(self, test: Pair, number: int) -> tuple[Link, Link]:
        there, back = (self.env.part(Link)(self.env, test.link, name) for name in test.wires(number))
        self.sender.plug(number, there, back)
        self.receiver.plug(number, back, there)
        return there, back
