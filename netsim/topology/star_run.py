"""A server and its clients in a running simulation: the computers, the switch between them, and the accounts of all."""

from __future__ import annotations

from typing import NamedTuple

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec, Switch, SwitchPort, Trunk
from netsim.ethernet.switch import Outlet
from netsim.scenario import Run
from netsim.stack import Computer, TcpSocket, connect
from netsim.topology.ledger import Ledger
from netsim.topology.outages import Outage, tell
from netsim.topology.star import SERVER, SWITCH, Star


class Cable(NamedTuple):
    """Both directions of a cable, and the switch port at its end."""

    there: Link
    back: Link
    port: SwitchPort


class StarRun(Run):
    """The computers, the cables and the switch in a running simulation."""

    def __init__(self, env: Environment, test: Star) -> None:
        self.env = env
        self.mtu = test.mtu
        self._round_trip = 4 * test.link.delay  # ps of a signal, over two cables each way
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
        """Make and connect a host's cables."""
        computer = self.computers[host]
        return [self._cable(test.link, wires, computer, port) for port, wires in enumerate(test.wires(host))]

    def _cable(self, link: LinkSpec, wires: tuple[Resource, Resource], computer: Computer, port: int) -> Cable:
        env = self.env
        there, back = (env.part(Link)(env, link, wire) for wire in wires)
        computer.plug(port, there, back)
        end = computer.name if there.name.number is None else f"{computer.name} {port}"
        return Cable(there, back, self._switch.plug(end, there, back))

    def _fail(self, test: Star, outage: Outage) -> None:
        """Schedule the failure and the recovery of a cable; a bond or trunk that uses it notices them some time
        later."""
        host = test.names[outage.host]
        cable, bond = self._cables[host][outage.port], self.computers[host].bond
        cable.there.fail(outage.at, outage.until)
        cable.back.fail(outage.at, outage.until)
        if self._trunk is not None and host == SERVER:
            tell(self.env, self._trunk, outage.port, outage, test.switch.link_detection)
        if bond is not None:
            tell(self.env, bond, outage.port, outage, bond.spec.detection)

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    @property
    def frames(self) -> int:
        return self.ledger.frames

    def connect(self, near: str, far: str, name: str) -> tuple[TcpSocket, TcpSocket]:
        """A connection between the server and a client, in either order, through the switch, with TCP_NODELAY."""
        client = self._clients.index(near if far == SERVER else far)
        ends = self.computers[near], self.computers[far]
        peers = (client, 0) if near == SERVER else (0, client)
        one, other = connect(*ends, self.mtu, name, nodelay=True, peers=peers, round_trip=self._round_trip)
        self._switch.learn(one.peer_port, self._behind(far, client))
        self._switch.learn(other.peer_port, self._behind(near, client))
        return one, other

    def _behind(self, host: str, client: int) -> Outlet:
        """The switch's outlet for frames to `host`, which is the client of this number or the server in its
        conversation with that client."""
        if host == SERVER and self._trunk is not None:
            return self._trunk.conversation(client)
        cables = self._cables[host]
        return cables[client % len(cables)].port
