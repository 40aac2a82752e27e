"""Disks, and what is between them and memory, that report each command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from netsim.storage.disk import Disk, Request
from netsim.storage.dma import ControllerDma
from netsim.storage.server import Server
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watched_bus import Label, WatchedBus
    from netsim.watch.watching import Watching


class WatchedDisk(Disk):
    """Reports a command when it begins."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = arguments[0]
        self._track = Track.of(self.name)

    def begin(self, request: Request) -> None:
        """Report it, as its end is certain."""
        super().begin(request)
        self._env.spent(self._track, f"{request[2]} bytes", self._env.now, self._free)


class WatchedServer(Server):
    """Reports a customer when it comes."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = arguments[0]
        self._track = Track.of(self.name)

    def serve(self, duration: int, done: Callable[[Any], None], argument: Any) -> None:
        """Report it, as it is certain when its turn comes."""
        super().serve(duration, done, argument)
        self._env.spent(self._track, "command", self._free - duration, self._free)


class WatchedDma(ControllerDma):
    """Its transfers have a name on the bus."""

    _bus: WatchedBus

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        for to_memory, way in self._ways.items():
            self._bus.labels[way] = partial(_label, "disk read" if to_memory else "disk write")


def _label(name: str) -> Label:
    return name, ()


DISKS: Mapping[type[Any], type[Any]] = {Disk: WatchedDisk, Server: WatchedServer, ControllerDma: WatchedDma}
