"""The common part of tests with a server and its clients: the machines and the switch between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import DOWNLINK, UPLINK
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec, SwitchSpec
from netsim.nic import CardSpec
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec, EspSpec
from netsim.stack.bonding_spec import Shares, shares
from netsim.topology.cabling import check_host, check_ipsec, check_mtu, check_switch, check_windows
from netsim.topology.outages import Outage, check_outages, moments
from netsim.units import Mtu, PositiveTime

SERVER, SWITCH = "server", "switch"


class Star(Scenario):
    """A server and one or more clients around a switch: a cable from each of the server's ports, and one from each
    client's first adapter. `link` describes every cable; `mtu` is in bytes. `ipsec`, such as "3des-cbc/hmac-sha-1-96",
    protects all TCP traffic (None: in clear).

    Client i, counted from 0, uses the server's port i mod ports, as if each port had its own subnet. If the server has
    a bond, its ports are a trunk of the switch, which all clients share. Cables can fail (`outages`) in the test's
    `duration` (ps).
    """

    server: ComputerSpec
    clients: tuple[ComputerSpec, ...]
    switch: SwitchSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: Mtu = 1500
    ipsec: EspSpec | None = None
    outages: tuple[Outage, ...] = ()
    duration: PositiveTime

    @model_validator(mode="after")
    def _cabled(self) -> Self:
        """There is a client; the link, the switch and every connected port support the MTU."""
        if not self.clients:
            raise ScenarioError("[] is not allowed; allowed: at least one computer", address="clients")
        check_mtu(self.mtu, self.link)
        check_switch(self.switch, self.mtu)
        for address, adapters in (("server", self.server.nics), *self._first_adapters()):
            _check_duplex(address, adapters)
        check_host(SERVER, self.server, self.link, self.mtu, every=True)
        check_ipsec(SERVER, self.server, self.ipsec, self.mtu)
        for number, host in enumerate(self.clients):
            address = f"clients.{number}"
            if host.bond is not None:
                text = "a client has a single cable and can't have a bond; allowed here: none"
                raise ScenarioError(text, address=f"{address}.bond")
            check_host(address, host, self.link, self.mtu)
            check_ipsec(address, host, self.ipsec, self.mtu)
            check_windows((SERVER, self.server), (address, host), self.mtu)
        return self

    def _first_adapters(self) -> list[tuple[str, tuple[CardSpec, ...]]]:
        """The first adapters of the clients, by address."""
        return [(f"clients.{number}", host.nics[:1]) for number, host in enumerate(self.clients)]

    @model_validator(mode="after")
    def _possible_outages(self) -> Self:
        """Outages affect existing cables, and end within the test."""
        cables = {address: len(self.wires(name)) for address, name in self.names.items()}
        check_outages(self.outages, cables, self.duration)
        return self

    def hosts(self) -> dict[str, ComputerSpec]:
        """All hosts by their names in accounts ("server", "client1", "client2" ...), with the TCP options of
        connections that the server opens. Clients that are one object stay one."""
        hosts = {SERVER: self.server.under(self.ipsec)}
        made: dict[int, ComputerSpec] = {}
        for name, client in zip(self.client_names, self.clients, strict=True):
            if id(client) not in made:
                made[id(client)] = client.answering(self.server).under(self.ipsec)
            hosts[name] = made[id(client)]
        return hosts

    @property
    def client_names(self) -> tuple[str, ...]:
        """The clients' names in accounts."""
        return tuple(f"client{number}" for number, _ in enumerate(self.clients, 1))

    @property
    def names(self) -> dict[str, str]:
        """The names of all hosts by their addresses."""
        return {SERVER: SERVER} | {f"clients.{number}": name for number, name in enumerate(self.client_names)}

    def moments(self) -> dict[int, str]:
        """The times (ps, ascending) at which cables fail and recover, each with a text that names them."""
        return moments(self.outages, self.names)

    # --- ports -------------------------------------------------------------------------------------------------------

    def wires(self, host: str) -> list[tuple[Resource, Resource]]:
        """Both directions of a host's cables, port by port: to the switch, and back."""
        ports = len(self.server.ports()) if host == SERVER else 1
        numbers = range(ports) if ports > 1 else [None]
        return [(Resource(host, UPLINK, number), Resource(host, DOWNLINK, number)) for number in numbers]

    def server_ports(self, client: int) -> tuple[Shares, Shares]:
        """The server's ports for frames to the client of this number, and for frames from it."""
        bond, ports = self.server.bond, len(self.wires(SERVER))
        policies = (bond.policy, self.switch.trunk) if bond else ("address", "address")
        out, into = (shares(policy, ports, client) for policy in policies)
        return out, into


def _check_duplex(address: str, adapters: Sequence[CardSpec]) -> None:
    """Check that no adapter is half duplex. Raises ScenarioError."""
    for number, nic in enumerate(adapters):
        if nic.duplex == "half":
            text = "this test's switch has only full-duplex ports; allowed: a full-duplex card"
            hint = 'hosts on a segment: tool = "flows" or "netbench"'
            raise ScenarioError(f"{text} ({hint})", address=f"{address}.nics.{number}.duplex")
