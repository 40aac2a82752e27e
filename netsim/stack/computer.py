"""A computer with its operating system's protocols."""

from __future__ import annotations

from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.machine import Device, Host
from netsim.stack.bonding import Bond
from netsim.stack.computer_spec import ComputerSpec
from netsim.stack.forwarding import Forwarder
from netsim.stack.ipsec import Associations


@mypyc_attr(allow_interpreted_subclasses=True)
class Computer(Host):
    """The computer in a running simulation."""

    spec: ComputerSpec

    def __init__(
        self,
        env: Environment,
        spec: ComputerSpec,
        name: str,
        *,
        half_duplex: bool = False,
        shared: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(env, spec, name, half_duplex=half_duplex, shared=shared)
        self.bond = Bond(spec.bond, self.drivers) if spec.bond else None
        self.associations = Associations(spec.ipsec)
        self.forwarders: dict[int, Forwarder] = {}  # by the number of the port that they send by
        self._forwards_only = True

    def towards(self, number: int) -> Device:
        """What a connection to the peer of this number sends on: the bond, or else a port, peers to ports in turn."""
        self._forwards_only = False
        return self.bond.towards(number) if self.bond else self.drivers[number % len(self.drivers)]

    def forward(self, address: Any, number: int) -> None:
        """Send what comes in for `address`, a frame's `port`, on by the port of this number."""
        forwarder = self.forwarders.get(number)
        if forwarder is None:
            driver = self.drivers[number]
            forwarder = self.forwarders[number] = self.env.part(Forwarder)(self.spec, driver)
        self.handlers[address] = forwarder

    def audit(self) -> None:
        """What it has sent on is accounted for. Raises ConservationError."""
        for forwarder in self.forwarders.values():
            forwarder.audit(self._forwards_only)
