"""An estimate of how fast memory and disks let NetBench's clients work in the long run. A simulation starts from it. It
is not a bound: seeks and rotations take their average times.

Which files are in memory: Che, Tung and Wang, Hierarchical web caching systems, 2002.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from netsim.units import PS_PER_S

if TYPE_CHECKING:
    from netsim.machine import FilesSpec
    from netsim.storage import StorageSpec
    from netsim.workload.netbench.file_mix import FileMixSpec

_STEPS = 60  # of a bisection: more than the bits of a float
_QUEUED = 20  # commands of a disk, sorted by position: a guess, which only affects the state in which a run begins


class SteadyFiles:
    """`visits` is each file's share of all visits. `room` is the memory for them (bytes)."""

    def __init__(
        self, mix: FileMixSpec, visits: np.ndarray, files: FilesSpec, storage: StorageSpec, room: int
    ) -> None:
        self._mix, self._visits = mix, visits
        self._cache, self._storage = files.cache, storage
        self._away = self._missing(room)
        self._seek = storage.disk.seek_time(self._cylinders() // _QUEUED)

    def _cylinders(self) -> int:
        """The cylinders of each disk that files cover."""
        storage, nbytes = self._storage, len(self._visits) * self._mix.file_size
        return storage.disk.cylinders * nbytes // storage.size

    def _missing(self, room: int) -> float:
        """The share of visits to files that are not in memory. A file is not in memory if it was not visited within the
        time, counted in visits, that other files take to fill the memory."""
        visits, files = self._visits[self._visits > 0], room / self._mix.file_size
        if files >= len(visits):
            return 0.0
        low, high = 0.0, 100 / float(visits.min())
        for _ in range(_STEPS):
            time = (low + high) / 2
            there = -float(np.sum(np.expm1(-visits * time)))
            low, high = (time, high) if there < files else (low, time)
        return float(np.sum(visits * np.exp(-visits * low)))

    # --- disk times of a visit ---------------------------------------------------------------------------------------

    def _reading(self) -> float:
        """The disk time (ps) to read the file of an average visit: if it is not in memory, its first page, and then
        the rest, `read_ahead` bytes at a time."""
        page = self._cache.page
        at_once = max(page, min(self._cache.read_ahead, self._mix.file_size))
        following = max(0, self._mix.file_size - page) / at_once
        return self._away * (self._read(0, page) + following * self._read(page, at_once))

    def _read(self, offset: int, nbytes: int) -> float:
        return sum(self._command(piece.nbytes) for piece in self._storage.layout.pieces(offset, nbytes))

    def _writing(self) -> float:
        """The disk time (ps) to write a file, one cluster at a time."""
        plan = self._storage.layout.writing(0, self._cache.cluster)
        once = sum(self._command(piece.nbytes) for piece in [*plan.reads, *plan.writes])
        return self._mix.file_size / self._cache.cluster * once

    def _command(self, nbytes: int) -> float:
        disk = self._storage.disk
        return disk.overhead + self._seek + disk.rotation / 2 + disk.transfer_time(nbytes)

    # --- the pace ----------------------------------------------------------------------------------------------------

    def _written(self, pace: float) -> float:
        """Files written to disk per visit, at `pace` visits per second: a file written again within the delay of the
        first write goes to disk once."""
        writes = self._visits * self._mix.writes
        delay = (self._cache.write_delay or 0) / PS_PER_S
        return float(np.sum(writes / (1 + writes * pace * delay)))

    def pace(self, most: float) -> float:
        """Visits per second: `most`, or fewer if the disks are too slow."""
        low, high = 0.0, most
        for _ in range(_STEPS):
            pace = (low + high) / 2
            busy = pace * (self._reading() + self._written(pace) * self._writing()) / PS_PER_S
            low, high = (pace, high) if busy < self._storage.disks else (low, pace)
        return low
