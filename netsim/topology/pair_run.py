"""A test between two hosts in a running simulation: the computers, the wires, and the accounts of all."""

from __future__ import annotations

from typing import Any

from netsim.engine import Environment
from netsim.ethernet import Link, Segment, SegmentSpec, Switch, SwitchPort, SwitchSpec
from netsim.scenario import Run
from netsim.stack import Computer, ComputerSpec, TcpSocket, connect
from netsim.topology.ledger import Ledger
from netsim.topology.pair import RECEIVER, SENDER, Pair
from netsim.topology.stations import contention, join, position


class PairRun(Run):
    """Two computers and their wires in a running simulation. The computers may differ from those of the test in
    settings that the tool changes."""

    def __init__(self, env: Environment, test: Pair, sender: ComputerSpec, receiver: ComputerSpec) -> None:
        self.env = env
        self.mtu = test.mtu
        part, shared = env.part(Computer), test.segment is not None
        self.sender = part(env, sender.under(test.ipsec), SENDER, half_duplex=shared)
        self.receiver = part(env, receiver.answering(sender).under(test.ipsec), RECEIVER, half_duplex=shared)
        self._hosts = {SENDER: self.sender, RECEIVER: self.receiver}
        self.segments: list[Segment] = []
        self._switch: Switch | None = None
        self._behind: dict[str, SwitchPort] = {}
        wires: list[Link | Segment] = []
        for number in range(test.cables):
            if test.segment is not None:
                wires.append(self._share(test, test.segment, number))
            elif test.switch is not None:
                wires += self._switched(test, test.switch)
            else:
                wires += self._cable(test, number)
        self._round_trip = 2 * test.distance * (1 if self._switch is None else 2)  # ps of a signal
        self.ledger = Ledger(env, self._hosts, wires, [self._switch] if self._switch else [])

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    @property
    def frames(self) -> int:
        return self.ledger.frames

    def connect(self, name: str, *, nodelay: bool = False) -> tuple[TcpSocket, TcpSocket]:
        """A connection opened by the sender: its socket, and the receiver's."""
        ends = self.sender, self.receiver
        near, far = connect(*ends, self.mtu, name, nodelay=nodelay, round_trip=self._round_trip)
        self.learn(near.peer_port, RECEIVER)
        self.learn(far.peer_port, SENDER)
        return near, far

    def learn(self, address: Any, host: str) -> None:
        """Let shared wires and the switch learn that frames whose `port` is `address` are for `host`."""
        for segment in self.segments:
            segment.learn(address, segment.owner(host))
        if self._switch is not None:
            self._switch.learn(address, self._behind[host])

    def contention(self) -> dict[str, int]:
        """The shared wires' counts for the accounts."""
        return contention(self.segments) if self.segments else {}

    def _share(self, test: Pair, spec: SegmentSpec, number: int) -> Segment:
        segment = self.env.part(Segment)(self.env, spec, test.wires(number)[0][0])
        for place, host in enumerate(self._hosts.values()):
            join(segment, host, position(spec, test.spacing, place), number)
        self.segments.append(segment)
        return segment

    def _cable(self, test: Pair, number: int) -> list[Link]:
        there, back = (self.env.part(Link)(self.env, test.link, wire) for (wire,) in test.wires(number))
        self.sender.plug(number, there, back)
        self.receiver.plug(number, back, there)
        return [there, back]

    def _switched(self, test: Pair, spec: SwitchSpec) -> list[Link]:
        self._switch = switch = Switch(self.env, spec)
        there, back = ([self.env.part(Link)(self.env, test.link, wire) for wire in way] for way in test.wires(0))
        for host, up, down in ((SENDER, there[0], back[1]), (RECEIVER, back[0], there[1])):
            self._hosts[host].plug(0, up, down)
            self._behind[host] = switch.plug(host, up, down)
        return [*there, *back]
