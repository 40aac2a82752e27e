"""A RAID controller: a bus master with its own processor and cache.

The steps of a read:
  1. its processor takes the command;
  2. data missing from its cache are read: by its processor, the disks and their channels;
  3. memory write in bursts of at most `burst`: the data, with the command's descriptor and its status;
  4. the command is `finished`, and raises an interrupt if the driver has no finished command to look at yet.
The steps of a write:
  1. its processor takes the command;
  2. memory read in bursts of at most `burst`: the data, with the command's descriptor and its status;
  3. if a write-back cache has room, the command is finished now, and the disks get the data later; otherwise the
     channels and the disks are next, with the work that the parity requires;
  4. the command is finished, as above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netsim.accounts import Resource
from netsim.accounts.resource import DISK_COMMANDS, DISK_CONTROLLER, DISKS
from netsim.bus import Bus, Slot
from netsim.engine import Environment, Fifo
from netsim.engine.population import Population
from netsim.errors import SimulationError
from netsim.storage.array import Array
from netsim.storage.controller_spec import StorageSpec
from netsim.storage.destage import Destager
from netsim.storage.dma import ControllerDma
from netsim.storage.lines import Lines
from netsim.storage.raid import merged
from netsim.storage.server import Server


class Command:
    """A read or a write of `nbytes` at `offset` of the array. The driver calls `done` when it has found the command
    among the finished ones."""

    __slots__ = ("_arrived", "_queued", "done", "nbytes", "offset", "write")

    def __init__(self, offset: int, nbytes: int, write: bool, done: Callable[[], None]) -> None:
        self.offset, self.nbytes, self.write, self.done = offset, nbytes, write, done
        self._arrived = self._queued = 0  # at the controller's driver, and in its queue


class Controller:
    """The controller and its array in a running simulation, in the host called `name`; `seen` is the bus as the
    controller sees it. The driver empties `finished` after the `interrupt`."""

    def __init__(self, env: Environment, spec: StorageSpec, bus: Bus, seen: Slot, name: str) -> None:
        self.spec = spec
        self.name = name
        self.interrupt: Callable[[], None] = lambda: None
        self.finished: Fifo[Command] = Fifo()
        self.population = Population(env, f"{name} storage commands")  # not finished yet
        self.hits = self.misses = 0  # requested pieces
        self.processor = env.part(Server)(env, Resource(name, DISK_CONTROLLER))
        self._lines = Lines(spec.controller.cache // spec.stripe_unit, spec.stripe_unit)
        self.array = Array(env, spec, self.processor, self._lines, name)
        self._dma = env.part(ControllerDma)(env, spec.controller, bus, seen, f"{name} disk controller's DMA engine")
        self._destager = Destager(env, self.array, self._lines, f"{name} dirty rows")
        self._size = spec.size
        self._most = spec.controller.commands
        self._command_time, self._writes_back = spec.controller.command_time, spec.controller.write_back
        self._under_way = 0
        self._waiting: Fifo[Command] = Fifo()
        self._queue = Population(env, f"{name} disk driver's queue")
        self._calendar = env.calendar
        self._queued_for = 0  # ps in which commands waited, up to `_queued_since`
        self._queued_since = 0

    # ---- commands ----

    def submit(self, command: Command) -> None:
        """Take a command from the driver. Raises SimulationError for one beyond the end of the array."""
        if command.nbytes < 1 or command.offset < 0 or command.offset + command.nbytes > self._size:
            text = f"{command.nbytes} B at {command.offset} of {self.name}'s array, which has {self._size} B"
            raise SimulationError(text)
        command._arrived = self.population.arrive()
        if self._under_way < self._most:
            self._begin(command)
        else:
            if not self._waiting:
                self._queued_since = self._calendar.now
            command._queued = self._queue.arrive()
            self._waiting.append(command)

    def _begin(self, command: Command) -> None:
        self._under_way += 1
        self.processor.serve(self._command_time, self._fetch if command.write else self._look, command)

    def _finish(self, command: Command) -> None:
        self.population.depart(command._arrived)
        self._under_way -= 1
        if self._waiting:
            following = self._waiting.popleft()
            self._queue.depart(following._queued)
            if not self._waiting:
                self._queued_for += self._calendar.now - self._queued_since
            self._begin(following)
        finished = self.finished
        finished.append(command)
        if len(finished) == 1:
            interrupt = self.interrupt
            interrupt()

    # ---- reads ----

    def _look(self, command: Command) -> None:
        """Read the data that the cache lacks from the disks."""
        pieces = self.array.layout.pieces(command.offset, command.nbytes)
        missing = [piece for piece in pieces if not self._lines.has(piece)]
        self.misses += len(missing)
        self.hits += len(pieces) - len(missing)
        if missing:
            self.array.read(merged(missing), self._found, command)
        else:
            self._store(command)

    def _found(self, command: Command) -> None:
        self._lines.fill(self.array.layout.pieces(command.offset, command.nbytes))
        self._store(command)

    def _store(self, command: Command) -> None:
        self._dma.move(command.nbytes, True, self._finish, command)

    # ---- writes ----

    def _fetch(self, command: Command) -> None:
        self._dma.move(command.nbytes, False, self._fetched, command)

    def _fetched(self, command: Command) -> None:
        if self._writes_back and self._destager.take(command.offset, command.nbytes):
            self._finish(command)
        else:
            self.array.write(command.offset, command.nbytes, self._finish, command)

    # ---- accounts ----

    def occupied(self, now: int) -> Iterator[tuple[Resource, int]]:
        """Each resource's busy ps up to `now`; for the disks the mean over all of them."""
        disks = self.array.disks
        yield Resource(self.name, DISKS), sum(disk.busy_until(now) for disk in disks) // len(disks)
        for server in (self.processor, *self.array.channels):
            yield server.name, server.busy_until(now)
        queued = now - self._queued_since if self._waiting else 0
        yield Resource(self.name, DISK_COMMANDS), self._queued_for + queued

    def counts(self) -> Iterator[tuple[str, int]]:
        """Counts of its work so far."""
        yield self.population.name, self.population.departures
        yield f"{self.name} disk commands", self.array.commands
        yield f"{self.name} disk controller cache hits", self.hits
        yield f"{self.name} disk controller cache misses", self.misses

    def audit(self) -> None:
        """Check that no part has lost a command. Raises ConservationError."""
        populations = [self.population, self._queue, self._dma.population, self._destager.population]
        for population in (*populations, self.processor.population, *self.array.populations()):
            population.audit()
