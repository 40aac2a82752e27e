"""Service threads: each does one job at a time, on any processor, and sleeps while it waits for a disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, partial
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import THREADS
from netsim.engine import Fifo
from netsim.engine.population import Population
from netsim.machine.task import Worker
from netsim.machine.work import Work

if TYPE_CHECKING:
    from netsim.machine.host import Host
    from netsim.machine.volume import Volume

Then = Callable[[], None]
AWAKE, SLEPT = False, True


class Thread(Worker):
    """One thread. It makes one call at a time, and ends its job with `leave`."""

    def __init__(self, threads: Threads, host: Host) -> None:
        self._threads = threads
        self._host = host
        self._task = host.process(self.begin, self.end, goes_on=True)
        self._work: Work | None = None
        self._then: Then = self.leave

    def work(self, work: Work, then: Then) -> None:
        """Do `work` when a processor is free, `then` continue."""
        self._work, self._then = work, then
        self._host.wake(self._task)

    def read(self, offset: int, nbytes: int, then: Then, reader: Hashable = None, end: int | None = None) -> None:
        """Read from the host's volume, `then` continue: at once if all is in memory, otherwise when it is woken. The
        volume's cache may read ahead for a `reader` up to the end of its file (FileCache.read)."""
        volume = self._threads.volume
        after = self._threads.file_works(nbytes, volume.spec.pages(offset, nbytes))
        if volume.cache.read(offset, nbytes, lambda: self.work(after[SLEPT], then), reader, end):
            self.work(after[AWAKE], then)

    def write(self, offset: int, nbytes: int, then: Then) -> None:
        """Write to the host's volume, `then` continue: a write is done once it is in memory."""
        volume = self._threads.volume
        after = self._threads.file_works(nbytes, volume.spec.pages(offset, nbytes))
        if volume.cache.write(offset, nbytes, lambda: self.work(after[SLEPT], then)):
            self.work(after[AWAKE], then)

    def leave(self) -> None:
        """The job is done."""
        self._threads.left(self)

    def begin(self) -> Work | None:
        return self._work

    def end(self) -> bool:
        self._work = None
        self._host.go_on(self._then)
        return self.begin() is not None


Job = Callable[[Thread], None]


class Threads:
    """Up to `most` threads, made when there is work for them. Jobs that find no thread wait in line."""

    def __init__(self, host: Host, most: int) -> None:
        self.name = Resource(host.name, THREADS)
        self._host = host
        self._most = most
        self._idle: list[Thread] = []  # the last one to have worked goes first: its memory is in the processor's cache
        self._jobs: Fifo[Job] = Fifo()
        self.made = 0
        self.busy = Population(host.env, f"{host.name} threads")
        self._since: dict[Thread, int] = {}
        self.file_works = cache(self._file_works)

    @property
    def volume(self) -> Volume:
        """The host's volume."""
        assert self._host.volume is not None
        return self._host.volume

    @property
    def waiting(self) -> int:
        """Jobs waiting for a thread."""
        return len(self._jobs)

    def busy_until(self, now: int) -> int:
        """How long (ps) the threads had a job, up to `now`: the mean over all that there may be."""
        return self.busy.area_until(now) // self._most

    def make(self, jobs: int) -> None:
        """Make as many threads as `jobs` simultaneous jobs need, in advance."""
        self._idle = [self._made() for _ in range(min(jobs, self._most))]

    def serve(self, job: Job) -> None:
        """Have a thread do `job`."""
        if self._idle:
            self._begin(self._idle.pop(), job)
        elif self.made < self._most:
            self._begin(self._made(), job)
        else:
            self._jobs.append(job)

    def left(self, thread: Thread) -> None:
        """A thread has done its job."""
        self.busy.depart(self._since.pop(thread))
        if self._jobs:
            self._host.go_on(partial(self._begin, thread, self._jobs.popleft()))
        else:
            self._idle.append(thread)

    def _begin(self, thread: Thread, job: Job) -> None:
        self._since[thread] = self.busy.arrive()
        job(thread)

    def _made(self) -> Thread:
        self.made += 1
        if self._host.volume is not None:
            self._host.volume.add_thread()
        return Thread(self, self._host)

    def _file_works(self, nbytes: int, pages: int) -> tuple[Work, Work]:
        """The processor's works for `nbytes` on `pages` pages in memory: for a thread that did not wait for them, and
        for one that did."""
        spec = self._host.spec
        assert spec.system.files is not None
        woken = self._host.bill().cycles("wake-up", spec.system.kernel.wake_up_cycles)
        both = [spec.system.files.bill(bill, nbytes, pages).work() for bill in (self._host.bill(), woken)]
        return both[AWAKE], both[SLEPT]
