"""A watched run: its environment builds parts that report their work to watchers.

Each watched part is a subclass that does the work of its part, in the same order, and then reports it. Watchers
therefore see a run as it would have been without them, event by event; and an unwatched run is built of the original
parts. A compiled class has one base class, so the reports that several kinds of a part have in common are made by an
object that each of them holds. Watched classes allow interpreted subclasses, as the parts do: if a class inherits its
constructor from a class that allows this, but does not allow it itself, the constructor runs twice (mypyc's `__new__`
calls it, and so does the inherited `tp_init`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from netsim.engine import Environment
from netsim.engine.environment import Part
from netsim.watch.teller import Teller
from netsim.watch.watched_bus import BUSES
from netsim.watch.watched_driver import DRIVERS
from netsim.watch.watched_host import HOSTS, MACHINES
from netsim.watch.watched_moderation import MODERATORS
from netsim.watch.watched_nic import NICS
from netsim.watch.watched_processor import PROCESSORS
from netsim.watch.watched_stack import STACKS
from netsim.watch.watched_storage import DISKS
from netsim.watch.watched_tcp import SOCKETS
from netsim.watch.watched_transmitter import TRANSMITTERS
from netsim.watch.watched_wire import SWITCHES, WIRES
from netsim.watch.watcher import Watcher

EVERYTHING: Mapping[type[Any], Callable[..., Any]] = {
    **MACHINES, **WIRES, **SWITCHES, **BUSES, **NICS, **TRANSMITTERS, **MODERATORS, **PROCESSORS, **DRIVERS, **HOSTS,
    **STACKS, **SOCKETS, **DISKS,
}  # fmt: skip
NEVER = (1 << 62) - 1  # ps: the largest number that compiled code handles directly


class Watching(Environment):
    """An environment in which `watchers` are told what happens; Observers, only what happens from `since` until `until`
    (ps). Call `ready` when the machine is complete, and `close` at the end."""

    def __init__(self, seed: int, watchers: Sequence[Watcher], since: int = 0, until: int = NEVER) -> None:
        super().__init__(seed)
        self.teller = Teller(self.calendar, watchers, since, until)
        self.watched = 0  # parts built so far that report
        self._parts = EVERYTHING if self.teller.tells_all else {**WIRES, **MACHINES}

    def part(self, kind: type[Part]) -> type[Part]:
        """The watched class that replaces `kind`; without one, `kind` itself."""
        watched = self._parts.get(kind)
        return kind if watched is None else cast(type[Part], partial(self._build, watched))

    def _build(self, kind: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        self.watched += 1
        part = kind(*arguments, **more)
        part.watched_by(self.teller)
        return part

    def ready(self) -> None:
        """The whole machine is built."""
        for one in self.teller.watchers:
            one.ready()

    def close(self) -> None:
        """The run is over: report everything that is under way."""
        self.teller.close()
