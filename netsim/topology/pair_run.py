"""A test between two hosts in a running simulation: the computers, the cables, and the accounts of all."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.ethernet import Link
from netsim.scenario import Run
from netsim.stack import Computer, ComputerSpec
from netsim.topology.ledger import Ledger
from netsim.topology.pair import Pair


class PairRun(Run):
    """Two computers and their cables in a running simulation. The computers may differ from the test's own in what the
    tool sets up."""

    def __init__(self, env: Environment, test: Pair, sender: ComputerSpec, receiver: ComputerSpec) -> None:
        self.env = env
        part = env.part(Computer)
        self.sender = part(env, sender.under(test.ipsec), "sender")
        self.receiver = part(env, receiver.answering(sender).under(test.ipsec), "receiver")
        links = [link for number in range(test.cables) for link in self._cable(test, number)]
        self.ledger = Ledger(env, {"sender": self.sender, "receiver": self.receiver}, links)

    def busy(self) -> dict[str, int]:
        return self.ledger.busy()

    def _cable(self, test: Pair, number: int) -> tuple[Link, Link]:
        there, back = (self.env.part(Link)(self.env, test.link, name) for name in test.wires(number))
        self.sender.plug(number, there, back)
        self.receiver.plug(number, back, there)
        return there, back
