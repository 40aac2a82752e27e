"""Disks, and the parts between them and memory, that report each command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mypy_extensions import mypyc_attr

from netsim.storage.disk import Disk, Request
from netsim.storage.dma import ControllerDma
from netsim.storage.server import Server
from netsim.watch.activity import Activity
from netsim.watch.teller import Teller
from netsim.watch.watched_bus import Label, WatchedBus
from netsim.watch.watched_track import WatchedTrack

_COMMAND: Final = Activity("command")


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedDisk(Disk):
    """Reports a command when it begins."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)

    def begin(self, request: Request) -> None:
        """Report the command, as its end is certain."""
        super().begin(request)
        self._teller.spent(self._track, Activity(f"{request[2]} bytes"), self._calendar.now, self._free)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedServer(Server):
    """Reports a customer when it arrives."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)

    def serve(self, duration: int, done: Callable[[Any], None], argument: Any) -> None:
        """Report the customer: the time of its service is already certain."""
        super().serve(duration, done, argument)
        self._teller.spent(self._track, _COMMAND, self._free - duration, self._free)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedDma(ControllerDma):
    """Names its transfers on the bus."""

    def watched_by(self, teller: Teller) -> None:
        bus = self._bus
        assert isinstance(bus, WatchedBus)
        for to_memory, way in self._ways.items():
            bus.labels[way] = Label("disk read" if to_memory else "disk write")


DISKS: Mapping[type[Any], type[Any]] = {Disk: WatchedDisk, Server: WatchedServer, ControllerDma: WatchedDma}
