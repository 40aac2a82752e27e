"""The common part of tests with a server and its clients on hubs: a segment for each port of the server, and the
machines on it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import SEGMENT
from netsim.errors import ScenarioError
from netsim.ethernet import SegmentSpec
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import HostSpec
from netsim.nic import CardSpec
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec, NcpHostSpec
from netsim.topology.cabling import check_windows
from netsim.topology.stations import check_adapter, check_distances, check_frame, check_handed_over
from netsim.units import Count, Mtu, Parts

SERVER, CLIENT = "server", "client"


class Hubs(Scenario):
    """A server and `clients` clients, each described by `client`, on shared segments: one for each of the server's
    ports. Client i, counted from 0, is on the segment of port i mod ports. On a hub each station has a cable of
    `spacing` metres; along a coaxial cable stations are `spacing` metres apart, with the server at the beginning.
    """

    server: HostSpec
    client: HostSpec
    clients: Parts
    segment: SegmentSpec = Field(default_factory=lambda: SegmentSpec.from_name("100base-tx-hub"))
    spacing: Count = 20

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """Every connected port supports the segment's rate and frames, and all stations detect each other in time."""
        for number in range(max(1, len(self.server.nics))):
            self.check_station(SERVER, self.server, number, check_adapter(SERVER, self.server, self.segment, number))
        self.check_station(CLIENT, self.client, 0, check_adapter(CLIENT, self.client, self.segment))
        check_distances(self.segment, self.spacing, [SERVER, *self.on_segment(0)])  # no segment is longer
        return self

    @abstractmethod
    def check_station(self, address: str, host: HostSpec, number: int, nic: CardSpec) -> None:
        """Check that the host at `address` can be a station, with its adapter of this number. Raises ScenarioError."""

    @property
    @abstractmethod
    def most_threads(self) -> int:
        """The largest number of service threads that the server makes."""

    @property
    def ports(self) -> int:
        """The number of the server's ports in use, one per segment."""
        return len(self.server.ports())

    @property
    def client_names(self) -> tuple[str, ...]:
        """The clients' names in accounts."""
        return tuple(f"{CLIENT}{number}" for number in range(1, self.clients + 1))

    def on_segment(self, number: int) -> tuple[str, ...]:
        """The names of the clients on the segment of this number."""
        return self.client_names[number :: self.ports]

    def hosts(self) -> dict[str, HostSpec]:
        """All hosts by their names in accounts: "server", "client1", "client2" ..."""
        return {SERVER: self.server} | dict.fromkeys(self.client_names, self.client)

    def wire(self, number: int) -> Resource:
        """The segment of this number."""
        return Resource("", SEGMENT, number)


class TcpHubs(Hubs):
    """Hubs with computers that use TCP, in packets of up to `mtu` bytes."""

    server: ComputerSpec
    client: ComputerSpec
    mtu: Mtu = 1500

    def hosts(self) -> dict[str, HostSpec]:
        """The hosts, with the TCP options of connections that clients open."""
        return super().hosts() | {SERVER: self.server.answering(self.client)}

    def check_station(self, address: str, host: HostSpec, number: int, nic: CardSpec) -> None:
        """See Hubs. Hosts hand single frames, in clear, to a card on a shared segment."""
        assert isinstance(host, ComputerSpec)
        text = "not modelled on a shared segment; allowed here: none"
        if host.bond is not None:
            raise ScenarioError(f"bonds are {text}", address=f"{address}.bond")
        if host.ipsec is not None:
            raise ScenarioError(f"IPsec is {text}", address=f"{address}.ipsec")
        check_handed_over(address, host, [number])
        check_frame("mtu", self.mtu, frame_size(self.mtu), nic, self.segment)
        check_windows((CLIENT, self.client), (SERVER, self.server), self.mtu)


class NcpHubs(Hubs):
    """Hubs with a server and workstations that use NetWare's core protocol."""

    server: NcpHostSpec
    client: NcpHostSpec

    def check_station(self, address: str, host: HostSpec, number: int, nic: CardSpec) -> None:
        """See Hubs. The largest frames are sent in both directions."""
        server, client = self.server.system.ncp, self.client.system.ncp
        largest = client.agreed(server).largest
        frame = max(server.reply_frame(largest), client.request_frame(largest))
        fewer = CLIENT if client.largest < server.largest else SERVER
        check_frame(f"{fewer}.system.ncp.largest", largest, frame, nic, self.segment)
