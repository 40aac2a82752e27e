"""What every test of a server with its clients shares: the machines, the switch between them, and the books of all."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from netsim.books import Ledger
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec, Switch, SwitchSpec
from netsim.scenario import Run, Scenario
from netsim.stack import Computer, ComputerSpec, TcpSocket, connect
from netsim.units import PositiveBytes
from netsim.workload.cabling import check_host, check_mtu, check_switch

SWITCH = "switch"


class Star(Scenario):
    """A server and one or more clients, each with a cable from its first adapter to the same switch. `link` is every
    cable; `mtu` is in bytes."""

    server: ComputerSpec
    clients: tuple[ComputerSpec, ...]
    switch: SwitchSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: PositiveBytes = 1500

    @model_validator(mode="after")
    def _cabled(self) -> Self:
        """There is a client; the link, the switch and every first adapter do the mtu."""
        if not self.clients:
            raise ScenarioError("[] is not allowed; allowed: at least one computer", address="clients")
        check_mtu(self.mtu, self.link)
        check_switch(self.switch, self.mtu)
        clients = {f"clients.{number}": host for number, host in enumerate(self.clients)}
        for address, host in {"server": self.server, **clients}.items():
            if host.bonded:
                raise ScenarioError("a bond has several cables; allowed here: false", address=f"{address}.bonded")
            check_host(address, host, self.link, self.mtu)
        return self

    def hosts(self) -> dict[str, ComputerSpec]:
        """All hosts by the names that books have for them, "server", "client1", "client2" ..., as they are on
        connections that the server opens."""
        clients = [client.answering(self.server) for client in self.clients]
        return {"server": self.server} | dict(zip(self.client_names, clients, strict=True))

    @property
    def client_names(self) -> list[str]:
        """The names of the clients."""
        return [f"client{number}" for number, _ in enumerate(self.clients, 1)]


def wires(host: str) -> tuple[str, str]:
    """The names of both directions of a host's cable: to the switch, and back."""
    return f"wire {host} to {SWITCH}", f"wire {SWITCH} to {host}"


class StarRun(Run):
    """The computers, the cables and the switch in a running simulation."""

    def __init__(self, env: Environment, test: Star) -> None:
        self.env = env
        self.mtu = test.mtu
        self.computers = {name: Computer(env, spec, name) for name, spec in test.hosts().items()}
        self._switch = Switch(env, test.switch, SWITCH)
        cables = {name: tuple(Link(env, test.link, wire) for wire in wires(name)) for name in self.computers}
        self._ports = {name: self._switch.plug(name, there, back) for name, (there, back) in cables.items()}
        for name, (there, back) in cables.items():
            self.computers[name].nics[0].plug(there, back)
        links = [link for cable in cables.values() for link in cable]
        self._ledger = Ledger(env, self.computers, links, [self._switch])

    def connect(self, near: str, far: str, name: str) -> tuple[TcpSocket, TcpSocket]:
        """A connection between two hosts through the switch, with TCP_NODELAY."""
        one, other = connect(self.computers[near], self.computers[far], self.mtu, name, nodelay=True)
        self._switch.learn(one.peer_port, self._ports[far])
        self._switch.learn(other.peer_port, self._ports[near])
        return one, other
