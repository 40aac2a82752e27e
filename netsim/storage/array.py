"""The disks of an array, the channels to them, and the commands that make up reads and writes.

A read passes the controller's processor, the disk and the channel, in this order; a write the processor, the channel
and the disk. A disk leaves its channel while it seeks and turns, and occupies it once its data are complete.

Not modelled: the channel time of commands and messages, and the locking of rows while their parity changes: two
simultaneous writes to one row each read and write the data they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from netsim.accounts import Resource
from netsim.accounts.resource import DISK, SCSI_CHANNEL
from netsim.engine import Environment
from netsim.engine.population import Population
from netsim.storage.controller_spec import StorageSpec
from netsim.storage.disk import Disk
from netsim.storage.lines import Lines
from netsim.storage.raid import Piece, RaidAccess
from netsim.storage.server import Server


class _Batch:
    """Commands that are awaited together; the last one to finish calls `then(argument)`."""

    __slots__ = ("argument", "left", "then")

    def __init__(self, left: int, then: Callable[[Any], None], argument: Any) -> None:
        self.left, self.then, self.argument = left, then, argument

    def done(self) -> None:
        """One of the commands is done."""
        self.left -= 1
        if not self.left:
            then = self.then
            then(self.argument)


_Job = tuple[Piece, _Batch]


class Array:
    """The array in a running simulation. `processor` is the controller's processor, `lines` its cache."""

    def __init__(self, env: Environment, spec: StorageSpec, processor: Server, lines: Lines, name: str) -> None:
        self.layout = spec.layout
        self._controller = spec.controller
        self._command_time = spec.controller.disk_command_time
        self._channel_times: dict[int, int] = {}  # by bytes
        self._processor = processor
        self._lines = lines
        angles = env.stream(f"{name} disks").integers(spec.disk.rotation, size=spec.disks)  # not synchronised
        disk = env.part(Disk)
        self.disks = [disk(env, spec.disk, Resource(name, DISK, i), int(angle)) for i, angle in enumerate(angles)]
        channels = range(spec.controller.channels)
        self.channels = [env.part(Server)(env, Resource(name, SCSI_CHANNEL, i)) for i in channels]

    # ---- reads ----

    def read(self, pieces: Sequence[Piece], then: Callable[[Any], None], argument: Any) -> None:
        """Read one or more pieces, each by its own command, and call `then(argument)` when all have arrived."""
        batch = _Batch(len(pieces), then, argument)
        for piece in pieces:
            self._processor.serve(self._command_time, self._ask, (piece, batch))

    def _ask(self, job: _Job) -> None:
        piece = job[0]
        self.disks[piece.disk].request(piece.offset, piece.nbytes, self._found, job)

    def _found(self, job: _Job) -> None:
        self._pass(job, self._done)

    # ---- writes ----

    def write(
        self, offset: int, nbytes: int, then: Callable[[Any], None], argument: Any, *, held: bool = False
    ) -> None:
        """Write an extent of the array, with the reads that its parity requires, and call `then(argument)` when the
        disks have it. If the cache has `held` the new data, it no longer has the old data."""
        own = set(self.layout.pieces(offset, nbytes)) if held else ()
        plan = self.layout.writing(offset, nbytes, lambda piece: piece not in own and self._lines.has(piece))
        step = (plan, then, argument)
        if plan.reads:
            self.read(plan.reads, self._write, step)
        else:
            self._write(step)

    def _write(self, step: tuple[RaidAccess, Callable[[Any], None], Any]) -> None:
        plan, then, argument = step
        self._lines.fill(plan.reads)
        self._lines.fill(plan.writes)
        batch = _Batch(len(plan.writes), then, argument)
        for piece in plan.writes:
            self._processor.serve(self._command_time, self._hand_over, (piece, batch))

    def _hand_over(self, job: _Job) -> None:
        self._pass(job, self._put)

    def _put(self, job: _Job) -> None:
        piece = job[0]
        self.disks[piece.disk].request(piece.offset, piece.nbytes, self._done, job)

    # ---- both ----

    def _pass(self, job: _Job, then: Callable[[Any], None]) -> None:
        """Move data over the channel to their disk, or from it."""
        disk, nbytes = job[0].disk, job[0].nbytes
        time = self._channel_times.get(nbytes)
        if time is None:
            time = self._channel_times[nbytes] = self._controller.channel_time(nbytes)
        self.channels[disk % len(self.channels)].serve(time, then, job)

    def _done(self, job: _Job) -> None:
        job[1].done()

    @property
    def commands(self) -> int:
        """Commands that the disks have completed."""
        return sum(disk.commands for disk in self.disks)

    def populations(self) -> Iterator[Population]:
        """The commands queued or in service at each part."""
        yield from (channel.population for channel in self.channels)
        yield from (disk.population for disk in self.disks)
