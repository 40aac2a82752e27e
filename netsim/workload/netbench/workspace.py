"""Where NetBench's files are, how popular they are, and which of them are in a server's memory after long use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from netsim.units import PS_PER_S
from netsim.workload.netbench.file_mix import FileMixSpec

Touch = tuple[int, int, bool, int]  # offset, bytes, whether it is a write, how long ago (ps)
_LONG_AGO = 3600.0  # s: anything written earlier is on the disks


class Workspace:
    """The files of `clients` clients, each with its own `workspace` (bytes), followed by the shared files. Files are
    contiguous, and popular ones are scattered among them.

    The files in memory are known without simulating their history: if visits are independent, the time since a file's
    last visit is exponential with the rate of its visits, and a memory that evicts the least recently used files holds
    the most recent ones (Che, Tung and Wang, 2002).
    """

    def __init__(self, mix: FileMixSpec, clients: int, workspace: int, rng: np.random.Generator) -> None:
        self._mix, self._file_size, self._share = mix, mix.file_size, mix.shared
        self._own = workspace // mix.file_size
        self._shared = mix.shared_bytes // mix.file_size if mix.shared else 0
        self._clients = clients
        self._own_ends = _ends(self._own, mix.popularity)
        self._shared_ends = _ends(self._shared, mix.popularity)
        self._places = [rng.permutation(self._own) for _ in range(clients)]
        self._shared_places = rng.permutation(self._shared)

    def draw(self, client: int, rng: np.random.Generator) -> int:
        """Draw the next file that a client visits. Returns where it begins on the volume (bytes)."""
        if self._shared and rng.random() < self._share:
            rank = bisect_right(self._shared_ends, rng.random())
            place = self._clients * self._own + int(self._shared_places[rank])
        else:
            rank = bisect_right(self._own_ends, rng.random())
            place = client * self._own + int(self._places[client][rank])
        return place * self._file_size

    def visits(self) -> np.ndarray:
        """Each file's share of all visits, by its place on the volume."""
        mix = self._mix
        own = np.diff(self._own_ends, prepend=0.0) * (1 - mix.shared if self._shared else 1) / self._clients
        found = np.empty(self._clients * self._own + self._shared)
        for client, places in enumerate(self._places):
            found[client * self._own + places] = own
        if self._shared:
            found[self._clients * self._own + self._shared_places] = (
                np.diff(self._shared_ends, prepend=0.0) * mix.shared
            )
        return found

    def remembered(self, capacity: int, pace: float, rng: np.random.Generator) -> Iterator[Touch]:
        """The contents of a memory of `capacity` bytes at `pace` visits per second, for FileCache.warm, with the least
        recently visited file first."""
        size, writes, visits = self._mix.file_size, self._mix.writes, self.visits()
        places = np.flatnonzero(visits)  # all others are never visited
        visits = visits[places]
        last = rng.exponential(size=len(visits)) / (visits * pace)  # s ago
        # Each visit is a write with the same probability: if the last one was not, the time between the last write and
        # that visit is exponential.
        before = np.where(rng.random(len(visits)) < writes, 0.0, rng.exponential(size=len(visits)))
        written = last + before / (visits * pace * writes) if writes else np.full(len(visits), np.inf)
        held = np.argsort(last)[: capacity // size]
        for file in held[::-1].tolist():
            write = bool(written[file] < _LONG_AGO)
            yield int(places[file]) * size, size, write, round(written[file] * PS_PER_S) if write else 0


def _ends(files: int, popularity: float) -> list[float]:
    """The cumulative shares of the visits, with the most popular file first."""
    weights = np.arange(1, files + 1, dtype=float) ** -popularity
    return (np.cumsum(weights) / weights.sum()).tolist() if files else []
