"""A run that is watched: its environment builds parts that tell watchers what they do.

Each watched part is a subclass that does what its part does, in the same order, and then tells. So watchers see a run
as it would have been without them, event by event; and one that is not watched is built of the parts themselves. What
compiles has one base class, so what several kinds of a part tell alike is told for them by an object that each has.
They are open to classes of the interpreter, as the parts are: the constructor that a class inherits from one that is
open runs twice where the class itself is not (mypyc's `__new__` calls it, and so does the `tp_init` that it inherits).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

EVERYTHING: Mapping[type[Any], type[Any]] = {
    **MACHINES, **WIRES, **SWITCHES, **BUSES, **NICS, **TRANSMITTERS, **MODERATORS, **PROCESSORS, **DRIVERS, **HOSTS,
    **STACKS, **SOCKETS, **DISKS,
}  # fmt: skip
NEVER = (1 << 62) - 1  # ps: the largest number that compiled code has at hand


class Watching(Environment):
    """An environment in which `watchers` are told what happens; those that take everything, only what
    happens from `since` until `until` (ps). Say when the machine is `ready`, and `close` it in the end."""

    def __init__(self, seed: int, watchers: Sequence[Watcher], since: int = 0, until: int = NEVER) -> None:
        super().__init__(seed)
        self.teller = Teller(self.calendar, watchers, since, until)
        self._parts = EVERYTHING if self.teller.tells_all else {**WIRES, **MACHINES}

    def part(self, kind: type[Part]) -> type[Part]:
        """What builds one that tells what it does, if there is such a class."""
        watched = self._parts.get(kind)
        return kind if watched is None else cast(type[Part], partial(self._build, watched))

    def _build(self, kind: type[Any], *arguments: Any, **more: Any) -> Any:
        part = kind(*arguments, **more)
        part.watched_by(self.teller)
        return part

    def ready(self) -> None:
        """All of the machine is built."""
        for one in self.teller.watchers:
            one.ready()

    def close(self) -> None:
        """The run is over: report what is under way."""
        self.teller.close()
