"""A finite transfer between two computers, for tests of what survives what."""

from __future__ import annotations

from collections.abc import Callable

from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.scenario import host
from netsim.workload import Netperf
from netsim.workload.netperf import TcpStream

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
SECOND = 10**12


class Transfer:
    """`nbytes` over TCP; `lost(direction, frame number, frame)` says which frames the wires lose."""

    def __init__(
        self, nbytes: int, lost: Callable[[str, int, Frame], bool] = lambda *_: False, test: Netperf = TEST
    ) -> None:
        self.env = Environment(seed=1)
        self.run = TcpStream(self.env, test)
        self.nbytes = nbytes
        self.finished: int | None = None
        self.left = nbytes
        for name, link in zip(("data", "ack"), self.run._ledger.links, strict=True):
            link.lost = self._numbered(name, lost)
        self._receive(0)
        self.run.out.send(nbytes, lambda: None)

    def _numbered(self, name: str, lost: Callable[[str, int, Frame], bool]) -> Callable[[Frame], bool]:
        count = iter(range(1 << 30))
        return lambda frame: lost(name, next(count), frame)

    def _receive(self, nbytes: int) -> None:
        self.left -= nbytes
        if self.left <= 0:
            self.finished = self.env.now
        self.run.into.receive(65535, self._receive)

    def complete(self, seconds: float = 20) -> Transfer:
        """Run until all has been read and acknowledged, at the most so long."""
        while self.env.peek() < seconds * SECOND and (self.left > 0 or self.run.out.output.una < self.nbytes):
            self.env.step()
        self.run.audit()
        assert self.run.into.read_bytes == self.run.out.output.una == self.nbytes
        return self
