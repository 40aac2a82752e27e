"""What every test of a server with its clients shares: the machines, the switch between them, and the accounts of
all."""

from __future__ import annotations

from typing import NamedTuple, Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import DOWNLINK, UPLINK
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec, Switch, SwitchPort, SwitchSpec, Trunk
from netsim.ethernet.switch import Outlet
from netsim.scenario import Run, Scenario
from netsim.stack import Bond, Computer, ComputerSpec, EspSpec, TcpSocket, connect
from netsim.topology.cabling import check_host, check_ipsec, check_mtu, check_switch
from netsim.topology.ledger import Ledger
from netsim.topology.outages import Outage, check_outages, moments
from netsim.units import PositiveBytes, PositiveTime

SERVER, SWITCH = "server", "switch"
Shares = list[tuple[float, int]]  # of frames, by port


class Star(Scenario):
    """A server and one or more clients around a switch: a cable from each of the server's ports, and one from each
    client's first adapter. `link` is every cable; `mtu` is in bytes. All TCP traffic goes under `ipsec`, such as
    "3des-cbc/hmac-sha-1-96" (None: in clear).

    Client i, counted from 0, is on the server's port i mod ports, as if each port had a subnet of its own. If the
    server has a bond, its ports are a trunk of the switch, which all clients share. Cables can fail (`outages`) in the
    test's `duration` (ps).
    """

    server: ComputerSpec
    clients: tuple[ComputerSpec, ...]
    switch: SwitchSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: PositiveBytes = 1500
    ipsec: EspSpec | None = None
    outages: tuple[Outage, ...] = ()
    duration: PositiveTime

    @model_validator(mode="after")
    def _cabled(self) -> Self:
        """There is a client; the link, the switch and every port with a cable do the mtu."""
        if not self.clients:
            raise ScenarioError("[] is not allowed; allowed: at least one computer", address="clients")
        check_mtu(self.mtu, self.link)
        check_switch(self.switch, self.mtu)
        check_host(SERVER, self.server, self.link, self.mtu, every=True)
        check_ipsec(SERVER, self.server, self.ipsec, self.mtu)
        for number, host in enumerate(self.clients):
            address = f"clients.{number}"
            if host.bond is not None:
                text = "a client has one cable, a bond has several; allowed here: none"
                raise ScenarioError(text, address=f"{address}.bond")
            check_host(address, host, self.link, self.mtu)
            check_ipsec(address, host, self.ipsec, self.mtu)
        return self

    @model_validator(mode="after")
    def _possible_outages(self) -> Self:
        """Outages are of cables that there are, within the test."""
        cables = {address: len(self.wires(name)) for address, name in self.names.items()}
        check_outages(self.outages, cables, self.duration)
        return self

    def hosts(self) -> dict[str, ComputerSpec]:
        """All hosts by the names that accounts have for them, "server", "client1", "client2" ..., as they are on
        connections that the server opens."""
        clients = [client.answering(self.server) for client in self.clients]
        hosts = {SERVER: self.server} | dict(zip(self.client_names, clients, strict=True))
        return {name: host.under(self.ipsec) for name, host in hosts.items()}

    @property
    def client_names(self) -> tuple[str, ...]:
        """What accounts call the clients."""
        return tuple(f"client{number}" for number, _ in enumerate(self.clients, 1))

    @property
    def names(self) -> dict[str, str]:
        """The names of all hosts by their addresses."""
        return {SERVER: SERVER} | {f"clients.{number}": name for number, name in enumerate(self.client_names)}

    def moments(self) -> dict[int, str]:
        """When (ps, rising) cables fail and come back, and which."""
        return moments(self.outages, self.names)

    # --- ports -------------------------------------------------------------------------------------------------------

    def wires(self, host: str) -> list[tuple[Resource, Resource]]:
        """Both directions of a host's cables, port by port: to the switch, and back."""
        ports = len(self.server.ports()) if host == SERVER else 1
        numbers = range(ports) if ports > 1 else [None]
        return [(Resource(host, UPLINK, number), Resource(host, DOWNLINK, number)) for number in numbers]

    def server_ports(self, client: int) -> tuple[Shares, Shares]:
        """The server's ports that its frames to the client of this number leave on, and that those from there come in
        on."""
        bond, ports = self.server.bond, len(self.wires(SERVER))
        own, all_alike = [(1.0, client % ports)], [(1 / ports, port) for port in range(ports)]
        if bond is None:
            return own, own
        out, into = (all_alike if policy == "round-robin" else own for policy in (bond.policy, self.switch.trunk))
        return out, into


class Cable(NamedTuple):
    """Both directions of a cable, and the switch's port that it is in."""

    there: Link
    back: Link
    port: SwitchPort


class StarRun(Run):
    """The computers, the cables and the switch in a running simulation."""

    def __init__(self, env: Environment, test: Star) -> None:
        self.env = env
        self.mtu = test.mtu
        self._clients = test.client_names
        self.computers = {name: env.part(Computer)(env, spec, name) for name, spec in test.hosts().items()}
        self._switch = Switch(env, test.switch, SWITCH)
        self._cables = {name: self._cabled(test, name) for name in self.computers}
        ports = [cable.port for cable in self._cables[SERVER]]
        self._trunk = Trunk(ports, test.switch.trunk) if test.server.bond else None
        links = [link for cables in self._cables.values() for cable in cables for link in (cable.there, cable.back)]
        self.ledger = Ledger(env, self.computers, links, [self._switch])
        for outage in test.outages:
            self._fail(test, outage)

    def _cabled(self, test: Star, host: str) -> list[Cable]:
        """A host's cables, plugged in."""
        computer = self.computers[host]
        return [self._cable(test.link, wires, computer, port) for port, wires in enumerate(test.wires(host))]

    def _cable(self, link: LinkSpec, wires: tuple[Resource, Resource], computer: Computer, port: int) -> Cable:
        env = self.env
        there, back = (env.part(Link)(env, link, wire) for wire in wires)
        computer.plug(port, there, back)
        end = computer.name if there.name.number is None else f"{computer.name} {port}"
        return Cable(there, back, self._switch.plug(end, there, back))

    def _fail(self, test: Star, outage: Outage) -> None:
        """A cable is to fail, and to come back; a bond or trunk that uses it finds out some time later."""
        host = test.names[outage.host]
        cable, bond = self._cables[host][outage.port], self.computers[host].bond
        cable.there.fail(outage.at, outage.until)
        cable.back.fail(outage.at, outage.until)
        if self._trunk is not None and host == SERVER:
            self._tell(self._trunk, outage, test.switch.link_detection)
        if bond is not None:
            self._tell(bond, outage, bond.spec.detection)

    def _tell(self, ports: Trunk | Bond, outage: Outage, late: int) -> None:
        self.env.call_at(outage.at + late, ports.down, outage.port)
        self.env.call_at(outage.until + late, ports.up, outage.port)

    def connect(self, near: str, far: str, name: str) -> tuple[TcpSocket, TcpSocket]:
        """A connection between the server and a client, either way round, through the switch, with TCP_NODELAY."""
        client = self._clients.index(near if far == SERVER else far)
        ends = self.computers[near], self.computers[far]
        peers = (client, 0) if near == SERVER else (0, client)
        one, other = connect(*ends, self.mtu, name, nodelay=True, peers=peers)
        self._switch.learn(one.peer_port, self._behind(far, client))
        self._switch.learn(other.peer_port, self._behind(near, client))
        return one, other

    def _behind(self, host: str, client: int) -> Outlet:
        """Where the switch puts frames for a host in its conversation with, or as, the client of this number."""
        if host == SERVER and self._trunk is not None:
            return self._trunk.conversation(client)
        cables = self._cables[host]
        return cables[client % len(cables)].port
