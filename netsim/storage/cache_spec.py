"""A file cache's description, and the interface of the volume behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from netsim.spec import Spec
from netsim.units import Bytes, Count, Fraction, PositiveBytes, Time


class BlockDevice(Protocol):
    """The device behind a file cache: a volume, addressed by byte offset. It always calls back later, never
    immediately."""

    def read(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Read, then call `done()`."""

    def write(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Write, then call `done()`."""


class FileCacheSpec(Spec):
    """An operating system's cache of files, in pages of `page` bytes.

    For a reader that continues where its last request ended, and misses, at least `read_ahead` bytes are fetched. A
    dirty page is written when it has been dirty for `write_delay` (None: only when its room is needed), together with
    adjacent dirty pages up to `cluster` bytes; no write begins while `concurrent_writes` or more pages are being
    written. While more than a share of `dirty_limit` of all pages is dirty, writers wait. `clean_reserve` pages are
    kept free, or clean and next to be evicted, by writing dirty ones in advance."""

    page: PositiveBytes
    read_ahead: Bytes
    write_delay: Time | None = None
    concurrent_writes: Count
    cluster: PositiveBytes
    dirty_limit: Fraction
    clean_reserve: Count
