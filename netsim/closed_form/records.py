"""The least that records in files need of a server's storage, if they are anywhere in their clients' data segments.

Records that are read, and are in no cache, pass the controller, a disk and its channel, while their client waits. A
page that is written while no cache has it has to be written to the disks later, once, perhaps together with its
neighbours.

Seeks are left out, since sorted commands may need none. But a disk does not sort commands by angle, so the platter's
angle when the head arrives says nothing about the place of the data, and the wait for it is half a turn on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from netsim.storage import FileCacheSpec, StorageSpec
from netsim.units import PS_PER_S


class StorageNeeds(NamedTuple):
    """Times (ps): of the controller's processor, of each channel, and of each disk; and that of a client's wait."""

    controller: float = 0.0
    channel: float = 0.0
    disk: float = 0.0
    wait: float = 0.0

    def plus(self, other: StorageNeeds, number: float = 1) -> StorageNeeds:
        """The needs of both, the other `number` times."""
        return StorageNeeds(*(one + number * more for one, more in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Records:
    """Records of `size` bytes in the data segments (bytes) of `clients`; each is at a multiple of its size. A `share`
    of them is in no cache when it is needed."""

    storage: StorageSpec
    cache: FileCacheSpec
    clients: int
    segment: int
    size: int

    # ---- where records are ----

    @property
    def reached(self) -> int:
        """The bytes of a segment that are in records."""
        return self.segment // self.size * self.size

    @property
    def _moved(self) -> int:
        """The fewest bytes that move for a record: whole pages."""
        return max(self.size, self.cache.page)

    @property
    def _span(self) -> int:
        """The most bytes that move for a record."""
        page, size = self.cache.page, self.size
        whole = (size % page == 0 or page % size == 0) and self.segment % page == 0
        return (-(-size // page) + (not whole)) * page

    def _on_one_disk(self, nbytes: int) -> int:
        """The most of `nbytes` in succession that are on one disk."""
        unit = self.storage.stripe_unit
        return min(nbytes, unit * -(-nbytes // (unit * self.storage.disks)))

    # ---- reading ----

    def read(self, share: float) -> StorageNeeds:
        """The needs of a record that is read."""
        storage, controller, disk = self.storage, self.storage.controller, self.storage.disk
        commands = max(1, self._moved / self._on_one_disk(self._span))
        channel, transfer = controller.channel_time(self._moved), disk.transfer_time(self._moved)
        once = controller.command_time + controller.disk_command_time + disk.overhead + self._turn()
        return StorageNeeds().plus(
            StorageNeeds(
                controller.command_time + commands * controller.disk_command_time,
                channel / min(controller.channels, storage.disks),
                (commands * disk.overhead + self._turn() + transfer) / storage.disks,
                once + (channel + transfer) / self._parts,
            ),
            share,
        )

    @property
    def _parts(self) -> int:
        """The most disks that a record is on."""
        unit, span = self.storage.stripe_unit, self._span
        if unit % span == 0 and self.segment % span == 0:
            return 1
        return min(self.storage.disks, span // unit + 2)

    def _turn(self) -> float:
        """The least mean wait (ps) for the platter, for a record anywhere on a cylinder. It is half a turn if records
        begin at every angle equally often. They don't if a cylinder is no whole number of tracks, if a part of each
        track holds no records, or if they begin only at multiples of their size; here the platter is always where these
        make the wait shortest."""
        storage, disk = self.storage, self.storage.disk
        held = self.clients * self.reached / storage.disks  # bytes of records on a disk, among those of a
        whole = self.clients * self.segment / storage.layout.data
        cylinders = -(-whole * disk.cylinders // disk.capacity)
        turn, stretch = disk.rotation, whole / cylinders * PS_PER_S / disk.media_rate
        often = (stretch + turn) / stretch * whole / held  # the most frequent angle, against the average
        apart = disk.transfer_time(max(self.cache.page, self._on_one_disk(self._span)))
        return max(0, 1 - often * apart / turn) ** 2 * turn / (2 * often)

    # ---- writing ----

    def written(self, share: float) -> StorageNeeds:
        """The needs of a record that is written: first of the page of which it is a part, and later of the disks."""
        before = self.read(share) if self.size < self.cache.page else StorageNeeds()
        return before.plus(self._written_back(share))

    def _written_back(self, share: float) -> StorageNeeds:
        storage, controller, disk = self.storage, self.storage.controller, self.storage.disk
        layout, cluster = storage.layout, max(1, self.cache.cluster // self.cache.page) * self.cache.page
        unit, most = 0, cluster
        if controller.write_back:  # which combines what it holds of a row
            unit, most = storage.stripe_unit, max(cluster, layout.row)
        nbytes, starts = share * self._moved, _runs(share)
        writes = max(starts, nbytes / most)
        reads, found = (self._old(number, nbytes) if layout.parities else 0 for number in (writes, starts))
        commands = max(writes * (1 + layout.parities), nbytes / max(unit, self._on_one_disk(most))) + reads
        moved = nbytes * (1 + layout.parities / layout.data) * PS_PER_S
        turns = (found if layout.parities else starts) * self._turn()
        return StorageNeeds(
            max(starts, nbytes / cluster) * controller.command_time + commands * controller.disk_command_time,
            moved / controller.channel_rate / min(controller.channels, storage.disks),
            (commands * disk.overhead + turns + moved / disk.media_rate) / storage.disks,
        )

    def _old(self, writes: float, nbytes: float) -> float:
        """The fewest reads of old data or parity: a write needs one at least, unless it is of a whole row, or the
        cache has the row's parity or the rest of its data."""
        storage = self.storage
        cached = storage.disks * storage.controller.cache / (self.clients * self.reached)
        return max(0, writes - nbytes / storage.layout.row) * max(0, 1 - cached)


def _runs(share: float) -> float:
    """The fewest runs of successive records to be written, per record, if a `share` is in no cache. A record's
    neighbours can be written with it if they are in a cache: a run has 1 + 2 h + 2 h^2 + ... = (1 + h) / (1 - h)
    records on average, where h = 1 - `share`."""
    return share * share / (2 - share)
