"""A computer with its operating system's protocols."""

from __future__ import annotations

from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.machine import Device, Host
from netsim.stack.bonding import Bond
from netsim.stack.computer_spec import ComputerSpec
from netsim.stack.forwarding import Forwarder, audit_forwarded
from netsim.stack.ip import FragmentMemory
from netsim.stack.ipsec import Associations
from netsim.stack.ipsec_spec import EspSpec
from netsim.stack.tunnel import Decapsulator, Encapsulator


@mypyc_attr(allow_interpreted_subclasses=True)
class Computer(Host[ComputerSpec]):
    """The computer in a running simulation."""

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
        self.fragments = FragmentMemory(spec.system.ip)
        self.forwarders: dict[Any, Forwarder] = {}  # by the number of their outgoing port, or a tunnel's address
        self.openers: dict[str, Decapsulator] = {}  # by the tunnel's address
        self._forwards_only = True

    def towards(self, number: int) -> Device:
        """The device for connections to the peer of this number: the bond or, without one, a port; peers are assigned
        to ports in turn."""
        self._forwards_only = False
        return self.bond.towards(number) if self.bond else self.drivers[number % len(self.drivers)]

    def forward(self, address: Any, number: int) -> None:
        """Forward frames received for `address` (a frame's `port`) through the port of this number."""
        forwarder = self.forwarders.get(number)
        if forwarder is None:
            driver = self.drivers[number]
            forwarder = self.forwarders[number] = self.env.part(Forwarder)(self.spec, driver)
        self.handlers[address] = forwarder

    def enclose(self, address: Any, number: int, carried: str, esp: EspSpec, mtu: int) -> None:
        """The same, within packets of the tunnel whose address is `carried`."""
        forwarder = self.forwarders.get(carried)
        if forwarder is None:
            part = self.env.part(Encapsulator)
            forwarder = self.forwarders[carried] = part(self, self.drivers[number], carried, esp, mtu)
        self.handlers[address] = forwarder

    def open(self, carried: str, esp: EspSpec, mtu: int) -> None:
        """Open packets of the tunnel whose address is `carried`."""
        if carried not in self.openers:
            self.handlers[carried] = self.openers[carried] = self.env.part(Decapsulator)(self, esp, mtu)

    @property
    def is_gateway(self) -> bool:
        """Whether a tunnel ends here."""
        return bool(self.openers) or any(isinstance(one, Encapsulator) for one in self.forwarders.values())

    def audit(self) -> None:
        """Check that every forwarded frame is accounted for. Raises ConservationError."""
        for driver in self.drivers:
            forwarders = [one for one in self.forwarders.values() if one.driver is driver]
            if forwarders:
                audit_forwarded(driver, forwarders, self._forwards_only)
