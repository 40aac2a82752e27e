"""An operating system's file cache: which requests are served from memory, and which wait for a disk or for room.

Files are extents of a volume, and a page's key is its place on the volume. A read waits for missing pages; pages that
are already on their way are not fetched again. A write waits only for pages that it changes in part, which are read
first, and for room, which becomes available when clean pages can be evicted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from mypy_extensions import mypyc_attr

from netsim.engine import Environment, Fifo
from netsim.engine.population import Population
from netsim.errors import ConservationError, SimulationError
from netsim.storage.cache_spec import BlockDevice, FileCacheSpec
from netsim.storage.incoming import Incoming, Wait
from netsim.storage.pages import Pages
from netsim.storage.warm import Touch, warmed
from netsim.storage.write_back import WriteBack

Then = Callable[[], None]


@mypyc_attr(allow_interpreted_subclasses=True)
class FileCache:
    """The cache in a running simulation, with `capacity` bytes of memory."""

    def __init__(
        self, env: Environment, spec: FileCacheSpec, capacity: int, device: BlockDevice, name: str = "file cache"
    ) -> None:
        self.spec = spec
        self.name = name
        self.hits = self.misses = 0  # pages that were asked for
        self.readers = Population(env, f"{name} readers")  # waiting requests
        self.writers = Population(env, f"{name} writers")
        self._calendar = env.calendar
        self._size = spec.page
        self._pages = Pages(capacity // spec.page, spec.clean_reserve)
        self._write_back = WriteBack(env, spec, self._pages, device, self._clean)
        self._incoming = Incoming(env, spec.page, self._pages, device, self._end, self._write_back.look)
        self._held_up: Fifo[tuple[int, int, Wait]] = Fifo()  # writers that wait, as too much is dirty
        self._ends: dict[Hashable, int] = {}  # reader -> where its last request ended

    # ---- reading ----

    def read(self, offset: int, nbytes: int, then: Then, reader: Hashable = None, end: int | None = None) -> bool:
        """True if all pages are present; otherwise False, and `then()` is called when they are. The cache remembers
        where a `reader`'s last request ended; it reads nothing ahead beyond the `end` of the reader's file."""
        span = self._span(offset, nbytes)
        missing = self._absent(span)
        goes_on = reader is not None and self._ends.get(reader) == offset
        if reader is not None:
            self._ends[reader] = offset + nbytes
        if not missing:
            if self._pages.wanted:
                self._write_back.look()
            return True
        wait = Wait(write=False)
        new = self._incoming.join(missing, wait)
        ahead = self._ahead(missing[0], span.stop, end) if goes_on else range(0)
        self._incoming.bring(new + self._incoming.ask(ahead))
        return self._settled(wait, self.readers, then)

    def _ahead(self, first: int, following: int, end: int | None) -> range:
        """The pages to read ahead for a request that misses its page `first`; `following` is the first page after the
        request."""
        stop = first + -(-self.spec.read_ahead // self._size)
        if end is not None:
            stop = min(stop, -(-end // self._size))
        return range(following, min(stop, first + self._pages.capacity // 2))

    # ---- writing ----

    def write(self, offset: int, nbytes: int, then: Then) -> bool:
        """True if all data are in the cache; otherwise False, and `then()` is called when they are."""
        wait = Wait(write=True)
        if self._held_up or self._is_full_of_dirt:
            self._span(offset, nbytes)
            self._held_up.append((offset, nbytes, wait))
            self._write_back.pressing = True
            wait.arrived, wait.then = self.writers.arrive(), then
            self._write_back.look()
            return False
        self._put(offset, nbytes, wait)
        return self._settled(wait, self.writers, then)

    def _put(self, offset: int, nbytes: int, wait: Wait) -> None:
        span = self._span(offset, nbytes)
        missing = self._absent(span)
        absent, now = set(missing), self._calendar.now
        for page in span:
            if page not in absent:
                self._pages.soil(page, now)
        whole = range(-(-offset // self._size), (offset + nbytes) // self._size)
        self._incoming.bring(self._incoming.join(missing, wait), whole)

    @property
    def _is_full_of_dirt(self) -> bool:
        return self._pages.unwritten > self.spec.dirty_limit * self._pages.capacity

    # ---- both ----

    def _span(self, offset: int, nbytes: int) -> range:
        """The pages of a request. Raises SimulationError if the cache cannot hold all of them at once."""
        first = offset // self._size
        span = range(first, -(-(offset + nbytes) // self._size) if nbytes else first)
        if len(span) > self._pages.capacity:
            text = f"{self.name}: a request for {len(span)} pages, and room for {self._pages.capacity}"
            raise SimulationError(text)
        return span

    def _absent(self, span: range) -> list[int]:
        """The missing pages; the others count as used now."""
        touch = self._pages.touch
        missing = [page for page in span if not touch(page)]
        self.misses += len(missing)
        self.hits += len(span) - len(missing)
        return missing

    def _settled(self, wait: Wait, population: Population, then: Then) -> bool:
        """Whether a request has all its pages; if not, `then()` will be called."""
        if not wait.left:
            return True
        wait.arrived, wait.then = population.arrive(), then
        return False

    def _end(self, wait: Wait) -> None:
        """All pages that a request has waited for are present."""
        then, wait.then = wait.then, None
        if then is not None:  # else the request was never told to wait
            (self.writers if wait.write else self.readers).depart(wait.arrived)
            then()

    def _clean(self) -> None:
        """Some pages have been written: the cache may have room, and less dirt."""
        self._incoming.admit()
        while self._held_up and not self._is_full_of_dirt:
            offset, nbytes, wait = self._held_up.popleft()
            self._write_back.pressing = bool(self._held_up)
            self._put(offset, nbytes, wait)
            if not wait.left:
                self._end(wait)

    # ---- its memory ----

    def resize(self, capacity: int) -> None:
        """Use `capacity` bytes of memory from now on, enough for any request. Pages beyond that are evicted
        immediately, dirty ones as soon as they have been written."""
        self._pages.resize(capacity // self._size)
        self._clean()

    def warm(self, touches: Iterable[Touch]) -> None:
        """Begin as if these requests had already run: (offset, bytes, whether it is a write, its age in ps), oldest
        first. No account counts them."""
        pages, dirty = warmed(touches, self._size, self._pages.capacity, self.spec.write_delay)
        most = int(self.spec.dirty_limit * self._pages.capacity)
        now = self._calendar.now
        self._pages.load(pages, [(page, now - age) for page, age in dirty[max(0, len(dirty) - most) :]])
        self._write_back.look()

    # ---- accounts ----

    @property
    def hit_ratio(self) -> float:
        """Share of the requested pages that were present; 0 before the first request."""
        return self.hits / (self.hits + self.misses) if self.hits else 0.0

    @property
    def pages(self) -> int:
        """The number of pages present."""
        return len(self._pages)

    def counts(self) -> Iterator[tuple[str, int]]:
        """Counts of its work so far."""
        pages = self._pages
        for what, count in (
            ("hits", self.hits),
            ("misses", self.misses),
            ("pages read", self._incoming.fetched),
            ("pages written", self._write_back.count),
            ("pages evicted clean", pages.evicted_clean),
            ("pages evicted dirty", pages.evicted_dirty),
            ("waits for room", self._incoming.waited_for_room),
        ):
            yield f"{self.name} {what}", count

    def audit(self) -> None:
        """Check that no page and no waiting request is lost. Raises ConservationError."""
        self.readers.audit()
        self.writers.audit()
        faults = self._pages.faults() + self._incoming.faults()
        if faults:
            raise ConservationError(f"{self.name}: {', '.join(faults)}")
