"""Drivers, and what lies between them and the protocols, that report the frames that pass, wait and are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.ethernet import Frame
from netsim.machine import Driver, Host, Work
from netsim.machine.backlog import Backlog
from netsim.machine.polled import PolledDriver
from netsim.machine.serialised import Indications, SerialisedDriver
from netsim.stack import Computer
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watched_processor import WatchedProcessor
    from netsim.watch.watching import Watching


class WatchedHost(Host):
    """Tells that it is there."""

    env: Watching

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.env.built(self)


class WatchedComputer(WatchedHost, Computer):
    """Tells that it is there."""


class WatchedDriver(Driver):
    """Reports frames handed down and received, and interrupts."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = self.nic.env  # type: ignore[assignment]
        host, name = self.nic.host, self.nic.name
        self._drops, self._queued = Track.drops(host), Track(host, f"{name} transmit queue")
        self._interrupts = Track(host, f"{name} interrupts")
        self._begun_with = Frame(0)  # that the card has begun with, perhaps before all of it is there

    def put(self, frame: Frame) -> None:
        """Tell that the current work sends the frame."""
        self._env.handed(frame, "aggregate")
        super().put(frame)

    def enqueue(self, frame: Frame) -> None:
        """Tell that the frame waits, and how many do."""
        self._env.reached(frame, "transmit queue")
        super().enqueue(frame)
        self._env.counted(self._queued, len(self.queue))

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._env.dropped(self._drops, "transmit queue", frame)

    def dequeue(self) -> None:
        """Report the frame, and how many still wait."""
        self._begun_with = self.queue[0]
        self._env.handed(self._begun_with, "restart")
        super().dequeue()
        self._env.counted(self._queued, len(self.queue))

    def moved_rest(self) -> None:
        """Tell that the current work was about the frame that the card has begun with."""
        self._env.about(self._begun_with)
        super().moved_rest()

    def interrupt(self) -> None:
        self._env.happened(self._interrupts, "interrupt", self._env.now)
        super().interrupt()

    def interrupt_deferred(self) -> None:
        self._env.happened(self._interrupts, "interrupt", self._env.now)
        super().interrupt_deferred()

    def handle(self) -> Work | None:
        """Report the frame that the work is about, if there is one."""
        work = super().handle()
        if self._frame is not None:
            self._env.about(self._frame, "receive")
        return work

    def give_up(self, frame: Frame) -> None:
        self._env.leave(frame, "excess collisions")
        super().give_up(frame)


class WatchedBacklog(Backlog):
    """Reports frames that wait, or find no room."""

    processor: WatchedProcessor

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        name = self.processor.name
        self._env = self.processor._env
        self._track, self._drops = Track.of(name, " backlog"), Track.drops(name.host)

    def put(self, frame: Frame) -> None:
        """Tell that the frame waits, and how many do."""
        self._env.reached(frame, "backlog")
        super().put(frame)
        self._env.counted(self._track, len(self._frames))

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._env.dropped(self._drops, "backlog", frame)

    def take_up(self) -> Work | None:
        """Tell how many still wait."""
        work = super().take_up()
        self._env.counted(self._track, len(self._frames))
        return work


class WatchedSerialisedDriver(WatchedDriver, SerialisedDriver):
    """Tells the same."""


class WatchedPolledDriver(WatchedDriver, PolledDriver):
    """Tells the same."""


class WatchedIndications(WatchedBacklog, Indications):
    """Tells the same."""


MACHINES: Mapping[type[Any], type[Any]] = {Host: WatchedHost, Computer: WatchedComputer}
HOSTS: Mapping[type[Any], type[Any]] = {
    Driver: WatchedDriver, SerialisedDriver: WatchedSerialisedDriver, PolledDriver: WatchedPolledDriver,
    Backlog: WatchedBacklog, Indications: WatchedIndications,
}  # fmt: skip
