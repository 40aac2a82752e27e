"""A finite transfer between two computers, for tests of what survives what."""

from __future__ import annotations

from collections.abc import Callable

from netsim.engine import Environment
from netsim.ethernet import Frame, Link
from netsim.scenario import host
from netsim.workload import Netperf
from netsim.workload.netperf import TcpStream

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
SECOND = 10**12
FRAME_TIME = TEST.link.frame_time(1518)


class Transfer:
    """`nbytes` over TCP; `lost(direction, frame number, frame)` says which frames the wires lose, and
    `late(direction, frame number)` by how many frames' time those that arrive do so too late."""

    def __init__(
        self,
        nbytes: int,
        lost: Callable[[str, int, Frame], bool] = lambda *_: False,
        test: Netperf = TEST,
        late: Callable[[str, int], float] | None = None,
    ) -> None:
        self.env = Environment(seed=1)
        self.run = TcpStream(self.env, test)
        self.nbytes = nbytes
        self.finished: int | None = None
        self.left = nbytes
        for name, link in zip(("data", "ack"), self.run._ledger.links, strict=True):
            link.lost = self._numbered(name, lost)
            if late is not None:
                link.arrive = self._delayed(name, link, late)
        self._receive(0)
        self.run.out.send(nbytes, lambda: None)

    def _numbered(self, name: str, lost: Callable[[str, int, Frame], bool]) -> Callable[[Frame], bool]:
        count = iter(range(1 << 30))
        return lambda frame: lost(name, next(count), frame)

    def _delayed(self, name: str, link: Link, late: Callable[[str, int], float]) -> Callable[[Frame], None]:
        """Stands before the station, and sends some frames round once more: they are still the link's."""
        arrive, count, waiting = link.arrive, iter(range(1 << 30)), set[Frame]()

        def arriving(frame: Frame) -> None:
            delay = 0 if frame in waiting else round(late(name, next(count)) * FRAME_TIME)
            if delay:
                waiting.add(frame)
                self.env.call_in(delay, arriving, frame)
            else:
                waiting.discard(frame)
                arrive(frame)

        return arriving

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
