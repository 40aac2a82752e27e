"""What a file cache is, and what it needs of the volume behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from netsim.spec import Spec
from netsim.units import Bytes, Count, Fraction, PositiveBytes, Time


class BlockDevice(Protocol):
    """What a file cache lies in front of: a volume, by byte offsets. It calls back later, never at once."""

    def read(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Read, and call `done()` then."""

    def write(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Write, and call `done()` then."""


class FileCacheSpec(Spec):
    """An operating system's cache of files, in pages of `page` bytes.

    A reader that continues where its last request has ended, and misses, has at least `read_ahead` bytes fetched. A
    dirty page is written when it has been dirty for `write_delay` (None: only when its room is wanted), together with
    dirty ones beside it up to `cluster` bytes; while `concurrent_writes` pages are under way, or more, none is begun.
    While more than `dirty_limit` of all pages are dirty, writers wait. `clean_reserve` pages are kept free, or clean
    and next to be given up, by writing dirty ones in advance."""

    page: PositiveBytes
    read_ahead: Bytes
    write_delay: Time | None = None
    concurrent_writes: Count
    cluster: PositiveBytes
    dirty_limit: Fraction
    clean_reserve: Count
