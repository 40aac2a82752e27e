"""The content of a file cache after a stream of requests, computed without simulating them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

Touch = tuple[int, int, bool, int]  # offset, bytes, whether it is a write, how long ago (ps)


def warmed(
    touches: Iterable[Touch], size: int, capacity: int, write_delay: int | None
) -> tuple[list[int], list[tuple[int, int]]]:
    """The pages of `size` bytes that are present, least recently used first; and the dirty ones, with how long they
    have been dirty (ps), oldest first: a page is written when it has been dirty for `write_delay`.

    A loop of half a million iterations: each page costs one dictionary lookup, and a dirty page another one.
    """
    pages: OrderedDict[int, None] = OrderedDict()
    dirty: dict[int, int] = {}
    for offset, nbytes, write, age in touches:
        for page in range(offset // size, -(-(offset + nbytes) // size)):
            if page in pages:
                pages.move_to_end(page)
            else:
                pages[page] = None
                if len(pages) > capacity:
                    gone, _ = pages.popitem(last=False)
                    dirty.pop(gone, None)
            if write:
                since = dirty.get(page)
                if since is None or (write_delay is not None and since - age > write_delay):
                    dirty[page] = age
    young = [(page, age) for page, age in dirty.items() if write_delay is None or age <= write_delay]
    return list(pages), sorted(young, key=lambda one: -one[1])
