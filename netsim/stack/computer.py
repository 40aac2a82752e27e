"""A computer with its operating system's protocols."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.host import Bill, Host, HostSpec, SystemSpec
from netsim.stack.bonding import Bond, BondingSpec, Device
from netsim.stack.ip import IpSpec
from netsim.stack.socket import SocketSpec
from netsim.stack.tcp import TcpSpec
from netsim.stack.udp import UdpSpec


class NetworkSystemSpec(SystemSpec):
    """An operating system: what its kernel and its protocols cost, and how they behave."""

    catalogue = "systems"

    socket: SocketSpec
    ip: IpSpec
    udp: UdpSpec
    tcp: TcpSpec
    bonding: BondingSpec


class ComputerSpec(HostSpec):
    """A computer that can take part in a measurement. Protocols use its first port, or all of them as one device if
    they are `bonded`."""

    catalogue = "hosts"

    system: NetworkSystemSpec
    bonded: bool = False

    @property
    def large_send(self) -> int:
        """How many bytes TCP may hand to any of the ports that protocols use at once; 0: no more than a segment."""
        return min((nic.driver.large_send for nic in (self.nics if self.bonded else self.nics[:1])), default=0)

    def bill_transmit(self, bill: Bill, size: int, port: int | None) -> Bill:
        """The processor's costs of sending a frame of `size` bytes: it goes straight to a port, or waits in a queue
        (None) and costs the driver its time later."""
        if self.bonded:
            bill.cycles("driver", self.system.bonding.tx_cycles)
        return bill if port is None else self.ports()[port].bill_transmit(bill, size)

    def answering(self, opener: ComputerSpec) -> ComputerSpec:
        """This computer on connections that `opener` opens: with timestamps if that one asks for them (RFC 1323, 3.2).
        """
        asked = opener.system.tcp.timestamps
        return self if self.system.tcp.timestamps == asked else self.replace("system.tcp.timestamps", asked)


class Computer(Host):
    """The computer in a running simulation."""

    spec: ComputerSpec

    def __init__(self, env: Environment, spec: ComputerSpec, name: str) -> None:
        super().__init__(env, spec, name)
        self.device: Device = Bond(self.drivers) if spec.bonded else self.drivers[0]
