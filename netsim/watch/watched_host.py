"""Hosts, and the queues between their drivers and protocols, that report the frames that pass, wait and are dropped;
and testers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame, Link
from netsim.machine import Host, Work
from netsim.machine.backlog import Backlog
from netsim.machine.serialised import Indications
from netsim.stack import Computer
from netsim.stack.udp import UdpFragment
from netsim.topology.tester import Tester, TesterSource
from netsim.watch.teller import Teller
from netsim.watch.watched_track import WatchedTrack


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedHost(Host):
    """Reports that it is built."""

    def watched_by(self, teller: Teller) -> None:
        teller.built(self)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedComputer(Computer):
    """Reports that it is built."""

    def watched_by(self, teller: Teller) -> None:
        teller.built(self)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedTester(Tester):
    """Reports that it is built, and the frames that it counts."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        teller.built(self)

    def put(self, frame: Frame) -> None:
        super().put(frame)
        self._teller.leave(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedTesterSource(TesterSource):
    """Reports the frames that it sends."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def put(self, frame: UdpFragment, link: Link) -> None:
        self._teller.handed(frame)
        self._teller.reached(frame, "send")  # until the wire is free, if it takes time
        super().put(frame, link)


class Waiting:
    """Reports the frames of a backlog."""

    def __init__(self, backlog: Backlog, teller: Teller) -> None:
        name = backlog.processor.name
        self._teller = teller
        self._track, self._drops = WatchedTrack.of(name, " backlog"), WatchedTrack.drops(name.host)

    def comes(self, frame: Frame) -> None:
        """The frame waits from now on, if the backlog has room."""
        self._teller.reached(frame, "backlog")

    def count(self, number: int) -> None:
        """Report that this many wait."""
        self._teller.counted(self._track, number)

    def drop(self, frame: Frame) -> None:
        """The backlog has no room for the frame."""
        self._teller.dropped(self._drops, "backlog", frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedBacklog(Backlog):
    """Reports frames that wait or find no room."""

    def watched_by(self, teller: Teller) -> None:
        self._waiting = Waiting(self, teller)

    def put(self, frame: Frame) -> None:
        self._waiting.comes(frame)
        super().put(frame)
        self._waiting.count(len(self._frames))

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._waiting.drop(frame)

    def begin(self) -> Work | None:
        work = super().begin()
        self._waiting.count(len(self._frames))
        return work


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedIndications(Indications):
    """Reports the same."""

    def watched_by(self, teller: Teller) -> None:
        self._waiting = Waiting(self, teller)

    def put(self, frame: Frame) -> None:
        self._waiting.comes(frame)
        super().put(frame)
        self._waiting.count(len(self._frames))

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._waiting.drop(frame)

    def begin(self) -> Work | None:
        work = super().begin()
        self._waiting.count(len(self._frames))
        return work


MACHINES: Mapping[type[Any], type[Any]] = {
    Host: WatchedHost, Computer: WatchedComputer, Tester: WatchedTester
}  # fmt: skip
HOSTS: Mapping[type[Any], type[Any]] = {
    Backlog: WatchedBacklog, Indications: WatchedIndications, TesterSource: WatchedTesterSource
}  # fmt: skip
