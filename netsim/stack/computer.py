"""A computer with its operating system's protocols."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.machine import Device, Host
from netsim.stack.bonding import Bond
from netsim.stack.computer_spec import ComputerSpec
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

    def towards(self, number: int) -> Device:
        """What a connection to the peer of this number sends on: the bond, or else a port, peers to ports in turn."""
        return self.bond.towards(number) if self.bond else self.drivers[number % len(self.drivers)]
