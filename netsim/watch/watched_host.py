"""Drivers, and what lies between them and the protocols, that tell of the frames that pass, wait and are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.ethernet import Frame
from netsim.machine import Driver, Host, Work
from netsim.machine.backlog import Backlog
from netsim.stack import Computer

if TYPE_CHECKING:
    from netsim.watch.watching import Watching


class WatchedHost(Host):
    """Tells that it is there."""

    env: Watching

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.env.built(self)


class WatchedComputer(Computer):
    """Tells that it is there."""

    env: Watching

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.env.built(self)


class WatchedDriver(Driver):
    """Tells of frames handed down and received, and of interrupts."""

    _env: Watching

    def put(self, frame: Frame) -> None:
        """See Driver."""
        env, before, waiting = self._env, self.drops["transmit queue"], len(self.queue)
        env.handed(frame, "aggregate")
        if not waiting and self._transmitter.queued < self._ring:
            super().put(frame)
            return
        env.reached(frame, "transmit queue")
        super().put(frame)
        if self.drops["transmit queue"] > before:
            env.dropped(f"{self.nic.name.partition(' ')[0]} drops", "transmit queue", frame)
        env.counted(f"{self.nic.name} transmit queue", len(self.queue))

    def _restart_end(self) -> bool:
        if self._rest is None:
            self._env.handed(self.queue[0], "restart")
        more = super()._restart_end()
        self._env.counted(f"{self.nic.name} transmit queue", len(self.queue))
        return more

    def _interrupt(self) -> None:
        self._env.happened(f"{self.nic.name} interrupts", "interrupt", self._env._now)
        super()._interrupt()

    def _interrupt_deferred(self) -> None:
        self._env.happened(f"{self.nic.name} interrupts", "interrupt", self._env._now)
        super()._interrupt_deferred()

    def _handle(self) -> Work | None:
        work = super()._handle()
        if self._frame is not None:
            self._env.about(self._frame, "receive")
        return work

    def _sends_again(self, frame: Frame) -> bool:
        given_up = frame in self._given_up
        again = super()._sends_again(frame)
        if given_up and not again:
            self._env.leave(frame, "excess collisions")
        return again


class WatchedBacklog(Backlog):
    """Tells of frames that wait, or find no room."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._env: Watching = self.processor._env  # type: ignore[assignment]
        self._track = f"{self.processor.name} backlog"

    def put(self, frame: Frame) -> None:
        """See Backlog."""
        before = self.dropped
        self._env.reached(frame, "backlog")
        super().put(frame)
        if self.dropped > before:
            self._env.dropped(f"{self.processor.name.partition(' ')[0]} drops", "backlog", frame)
        self._env.counted(self._track, len(self._frames))

    def _begin(self) -> Work | None:
        work = super()._begin()
        self._env.counted(self._track, len(self._frames))
        return work


MACHINES: Mapping[type[Any], type[Any]] = {Host: WatchedHost, Computer: WatchedComputer}
HOSTS: Mapping[type[Any], type[Any]] = {Driver: WatchedDriver, Backlog: WatchedBacklog}
