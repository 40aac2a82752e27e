"""A computer with its operating system's protocols."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.host import Host, HostSpec, SystemSpec
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


class ComputerSpec(HostSpec):
    """A computer that can take part in a measurement."""

    catalogue = "hosts"

    system: NetworkSystemSpec


class Computer(Host):
    """The computer in a running simulation."""

    spec: ComputerSpec

    def __init__(self, env: Environment, spec: ComputerSpec, name: str) -> None:
        super().__init__(env, spec, name)
