"""A finite transfer between two computers, for tests of which disturbances it survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle
from typing import Any

from netsim.ethernet import Frame, Link
from netsim.scenario import host
from netsim.stack import TcpSocket
from netsim.stack.scoreboard import Ranges, union
from netsim.stack.tcp import TcpSegment
from netsim.workload import Netperf
from netsim.workload.netperf.run import TcpStream
from tests.own_parts import WithParts

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
SECOND = 10**12
FRAME_TIME = TEST.link.frame_time(1518)


class AuditedSocket(TcpSocket):
    """Notes which bytes reach it, and checks that it never has more in order."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.there: Ranges = []  # bytes of the segments that have arrived

    def put(self, frame: TcpSegment) -> None:
        if frame.length:
            self.there = union(self.there, frame.seq, frame.seq + frame.length)
        super().put(frame)
        self._check_order()

    def _check_order(self) -> None:
        """Every byte that is in order has arrived, and has either been read or is waiting, exactly once."""
        assert self.read_bytes + sum(nbytes for nbytes, _, _ in self.input.queue) == self.input.rcv_nxt
        assert not self.input.rcv_nxt or (self.there[0][0] == 0 and self.there[0][1] >= self.input.rcv_nxt)


class Transfer:
    """`nbytes` over TCP; `lost(direction, frame number, frame)` says which frames the wires lose, and `late(direction,
    frame number)` by how many frame times an arriving frame is late. Frames are numbered in each direction ("data",
    "ack"), whatever wire they take. `propagation` (ps) is that of each wire in turn, forward and return, cable by
    cable."""

    def __init__(
        self,
        nbytes: int,
        lost: Callable[[str, int, Frame], bool] = lambda *_: False,
        test: Netperf = TEST,
        late: Callable[[str, int], float] | None = None,
        propagation: Sequence[int] = (),
    ) -> None:
        self.env = WithParts(AuditedSocket)
        self.run = TcpStream(self.env, test)
        self.nbytes = nbytes
        self.finished: int | None = None
        self.left = nbytes
        links = self.run.ledger.links
        for link, ps in zip(links, propagation, strict=bool(propagation)):
            link.spec = link.spec.replace("propagation", f"{ps} ps")
        sent = {name: count() for name in ("data", "ack")}
        arrived = {name: count() for name in ("data", "ack")}
        for name, link in zip(cycle(("data", "ack")), links, strict=False):
            link.lost = self._numbered(name, sent[name], lost)
            if late is not None:
                link.deliver = self._delayed(name, arrived[name], link, late)
        self._receive(0)
        self.run.out.send(nbytes, lambda: None)

    def _numbered(
        self, name: str, numbers: Iterator[int], lost: Callable[[str, int, Frame], bool]
    ) -> Callable[[Frame], bool]:
        return lambda frame: lost(name, next(numbers), frame)

    def _delayed(
        self, name: str, numbers: Iterator[int], link: Link, late: Callable[[str, int], float]
    ) -> Callable[[Frame], None]:
        """Sits before the station, and delays some frames once; meanwhile they still belong to the link."""
        arrive, waiting = link.deliver, set[Frame]()

        def arriving(frame: Frame) -> None:
            delay = 0 if frame in waiting else round(late(name, next(numbers)) * FRAME_TIME)
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
        """Run until everything has been read and acknowledged, at most `seconds`."""
        while self.env.peek() < seconds * SECOND and (self.left > 0 or self.run.out.output.snd_una < self.nbytes):
            self.env.step()
        self.run.audit()
        assert self.run.into.read_bytes == self.run.out.output.snd_una == self.nbytes
        assert self.run.into.there == [(0, self.nbytes)]  # type: ignore[attr-defined]
        return self
