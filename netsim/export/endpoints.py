"""The owners of frames: a frame names its destination port, and the hosts know which handler is there.

Hosts are numbered from 1 in the order in which they were built, and testers after them. Host n has the addresses
10.s.x.y, where x.y is its number and s the subnet, and 02:00:00:HH:HH:PP at its port PP. A bond has the addresses of
its first port (IEEE 802.3ad-2000, 43.2.3). A server without a bond has a subnet, or an IPX network, on each of its
ports; else s is 0.
Connections are numbered, too: one end's ports are 49152 and up, the other's 61440 and up, which belong to no known
service.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from netsim.errors import SimulationError
from netsim.ethernet import Frame
from netsim.export.headers import Address, Headers, ipv4, mac
from netsim.export.headers_connection import ConnectionHeaders
from netsim.export.headers_esp import EspHeaders, TunnelHeaders
from netsim.export.headers_ncp import NcpHeaders, NcpStation
from netsim.export.headers_tcp import TcpHeaders
from netsim.export.headers_udp import UdpHeaders
from netsim.machine import Host
from netsim.machine.backlog import Handler
from netsim.stack import Computer, NcpFrame, NcpServer, NcpWorkstation, TcpSocket
from netsim.stack.forwarding import Forwarder
from netsim.stack.tcp_connection import Connection
from netsim.stack.tunnel import Encapsulator, TunnelFrame
from netsim.stack.udp import UdpFragment
from netsim.topology.tester import Tester

_PORTS = (49152, 61440)  # the first one of either end
_CONNECTIONS = 4096  # number of connections with different ports
_FIRST_ASSOCIATION = 0x1000  # numbers up to 255 are reserved (RFC 2406, 2.1)

End = tuple[int, int]  # the numbers of a host and of its port


class Endpoints:
    """The hosts of a run, and the headers of the frames between them."""

    def __init__(self) -> None:
        self.hosts: list[Host] = []
        self.testers: list[Tester] = []
        self._headers: dict[Any, Headers] = {}  # by the frame's port; for the core protocol, by the workstation
        self._numbers = count()  # of connections

    @property
    def wires(self) -> set[str]:
        """The wires on which hosts and testers send."""
        tested = {one.out.name for one in self.testers if one.out is not None}
        return tested | {nic.wire for host in self.hosts for nic in host.nics if nic.wire is not None}

    def routers(self, frame: Frame) -> int:
        """How many routers `frame` has passed; the packets of a tunnel begin at a gateway."""
        return _passed(frame)[1]

    def is_first(self, frame: Frame) -> bool:
        """Whether the sender of `frame` has made it, and not only forwards it."""
        return not isinstance(frame.owner, Forwarder) or isinstance(frame.owner, Encapsulator)

    def headers(self, frame: Frame) -> Headers:
        """The source of the headers of `frame`. Raises SimulationError if its protocol has none here."""
        key = frame.exchange.client if isinstance(frame, NcpFrame) else frame.port
        headers = self._headers.get(key)
        if headers is None:
            self._meet(frame)
            headers = self._headers.get(key)
            if headers is None:
                raise SimulationError(f"{type(frame).__name__} for {frame.port!r}: no headers are known for a capture")
        return headers

    def _meet(self, frame: Frame) -> None:
        """Number all TCP connections at once; their numbers then do not depend on which one sends first."""
        hosts = enumerate(self.hosts, 1)
        if isinstance(frame, TunnelFrame):
            self._headers[frame.port] = self._tunnel(frame.port)
            return
        every = [(port, (host, handler)) for host, one in hosts for port, handler in one.handlers.items()]
        ends = {port: end for port, end in every if not isinstance(end[1], Forwarder)}
        if isinstance(frame, UdpFragment):
            numbered = [*enumerate(self.testers, len(self.hosts) + 1)]
            takers = {port: number for port, (number, _) in ends.items()}
            takers |= {port: number for number, one in numbered for port in one.sinks}
            testing = next((number for number, one in numbered if frame.port in one.sources), None)
            self._headers[frame.port] = self._datagrams(frame, testing, takers[frame.port])
            return
        for port, (host, handler) in ends.items():
            if isinstance(handler, NcpWorkstation):
                self._headers[port] = self._conversation(host, handler, *ends[handler.server])
            elif isinstance(handler, TcpSocket) and port not in self._headers:
                opened = isinstance(handler.handler, Connection)
                self._connect(host, handler, *ends[handler.peer_port], opened=opened)

    def _addresses(self, near: End, far: End) -> tuple[Address, Address, int]:
        """The addresses of two ports, one of which is its host's first, and the number of the connection between
        them."""
        subnet, number = max(near[1], far[1]), next(self._numbers)
        one, other = (
            Address(mac(host, port), ipv4(host, subnet), first + number % _CONNECTIONS)
            for (host, port), first in zip((near, far), _PORTS, strict=True)
        )
        return one, other, number

    def _datagrams(self, frame: UdpFragment, testing: int | None, receiver: int) -> Headers:
        """From a tester of that number, or else from the socket that has sent the frame."""
        if testing is not None:
            source, destination, _ = self._addresses((testing, 0), (receiver, 0))
            return UdpHeaders(source, destination)
        sender, _ = _passed(frame)
        near = self.hosts.index(sender.host) + 1, sender.device.drivers[0].number
        source, destination, number = self._addresses(near, (receiver, 0))
        if sender.host.spec.ipsec is None:
            return UdpHeaders(source, destination)
        return EspHeaders(sender, source, destination, _FIRST_ASSOCIATION + 2 * number)

    def _tunnel(self, carried: str) -> Headers:
        """From one gateway to the other, for packets that carry this address."""
        gateways = [(number, host) for number, host in enumerate(self.hosts, 1) if isinstance(host, Computer)]
        (near, out), = ((number, host.forwarders[carried]) for number, host in gateways if carried in host.forwarders)
        (far,) = (number for number, host in gateways if carried in host.openers)
        source, destination, number = self._addresses((near, out.driver.number), (far, 0))
        return TunnelHeaders(source, destination, _FIRST_ASSOCIATION + 2 * number)

    def _connect(self, near: int, socket: TcpSocket, far: int, peer: Handler, *, opened: bool) -> None:
        """Both directions of a connection between sockets of two hosts, which is `opened` in the run, or was open
        before it."""
        assert isinstance(peer, TcpSocket)
        ends = [(host, one.device.drivers[0].number) for host, one in ((near, socket), (far, peer))]
        one, other, number = self._addresses(*ends)
        there: Headers
        back: Headers
        if socket.host.spec.ipsec is None:
            kind = ConnectionHeaders if opened else TcpHeaders
            there, back = kind.both(socket, peer, one, other)
        else:
            first = _FIRST_ASSOCIATION + 2 * number
            there, back = EspHeaders(socket, one, other, first), EspHeaders(peer, other, one, first + 1)
        self._headers[socket.peer_port], self._headers[peer.peer_port] = there, back

    def _conversation(self, client: int, workstation: NcpWorkstation, server: int, handler: Handler) -> Headers:
        """The headers between a workstation and its server, at the server's port on the workstation's wire."""
        assert isinstance(handler, NcpServer)
        wire = workstation.host.nics[0].wire
        port = next(port for port, nic in enumerate(handler.host.nics) if nic.wire == wire)
        one, other = workstation.ncp, handler.ncp
        return NcpHeaders(
            NcpStation(mac(client, 0), one.request), NcpStation(mac(server, port), other.reply), port + 1, client,
            burst=bool(one.burst and other.burst),
        )  # fmt: skip


def _passed(frame: Frame) -> tuple[Any, int]:
    """The first sender of `frame`, and the number of routers that it has passed since."""
    owner = frame.owner
    return owner.passed(frame.port) if isinstance(owner, Forwarder) else (owner, 0)
