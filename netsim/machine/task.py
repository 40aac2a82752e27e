"""What runs on a processor: a task, which has one piece of work after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mypy_extensions import i64, mypyc_attr, trait

from netsim.engine import Planned
from netsim.machine.work import NOTHING, Work

if TYPE_CHECKING:
    from netsim.machine.lock import Lock
    from netsim.machine.processor import Processor

# Levels; a lower one goes first.
DECIDING: Final = -1
INTERRUPT: Final = 0
DEFERRED: Final = 1
PROCESS: Final = 2
IDLE: Final = 3
POLL: Final = "poll"  # the name of a poller's task
STALL: Final = "memory stall"  # what Task.stall is booked under

# What a process in a call does about the host's bottom halves before it continues with its next work.
BESIDE: Final = 0  # nothing: they run beside it
WAITS: Final = 1  # waits until none runs (Linux 2.2: lock_sock)
EXCLUDES: Final = 2  # and keeps them out until that work is done (start_bh_atomic)


@trait
@mypyc_attr(allow_interpreted_subclasses=True)
class Worker:
    """What a task is of: it says what to do, and has the effect."""

    __slots__ = ()

    def begin(self) -> Work | None:
        """What to do next; None: nothing, until the task is kicked again."""
        raise NotImplementedError

    def end(self) -> bool:
        """That is done; whether there may be more to do."""
        raise NotImplementedError


class _Pair(Worker):
    """Two functions."""

    __slots__ = ("_begin", "_end")

    def __init__(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> None:
        self._begin = begin
        self._end = end

    def begin(self) -> Work | None:
        begin = self._begin
        return begin()

    def end(self) -> bool:
        end = self._end
        return end()


def worker(begin: Callable[[], Work | None], end: Callable[[], bool]) -> Worker:
    """What does both: the Worker whose own `begin` and `end` these are, as its calls take no detour when compiled."""
    owner = getattr(begin, "__self__", None)
    if isinstance(owner, Worker) and begin == owner.begin and end == owner.end:
        return owner
    return _Pair(begin, end)


class Task:
    """Something that runs on a processor whenever it is kicked and has work.

    `begin` says what to do next (None: nothing, until kicked again); when that time is spent, `end` has the effect and
    says whether there may be more to do. A task is never run twice at once: kicking it while it is `ready` (queued,
    running, suspended or waiting for its lock) does nothing, as it looks for work again by itself.

    A task with a `lock` holds it from each `begin` to its `end`, and with `keeps` until it has no more work or another
    task's turn comes on its processor; an interrupt handler has none. If it has to wait for it, it `spins`, or else
    leaves its processor to others (`awaited`: the lock that it waits for). `name` is what it waits as, in the lock's
    accounts. A process that `keeps` it is inside a call of the system, where nothing but interrupts and bottom halves
    comes in between; its `end` says that it `returns` from it. One that `goes_on` lets no other of its own level go
    first while it has work, nor its lock go: without time slices, nothing makes a thread give its processor up, and a
    deferred procedure call runs to its end.
    """

    __slots__ = (
        "awaited", "bus_mark", "bus_since", "call", "finish", "goes_on", "keeps", "last", "left", "level", "lock",
        "memory_mark", "memory_since", "name", "owed", "priority", "ready", "returns", "spins", "stall", "wait",
        "window", "work", "worker",
    )

    def __init__(
        self,
        level: int,
        begin: Callable[[], Work | None],
        end: Callable[[], bool],
        lock: Lock | None = None,
        *,
        spins: bool = True,
        keeps: bool = False,
        name: str = "",
        masked: bool = False,
        goes_on: bool = False,
    ) -> None:
        self.level: i64 = level
        # A task of a level below this suspends it: its own, unless interrupts are `masked`.
        self.priority: i64 = DECIDING if masked else level
        self.worker = worker(begin, end)
        self.lock = lock
        self.spins = spins
        self.keeps = keeps
        self.awaited: Lock | None = None
        self.last: Processor | None = None  # where it last had its lock
        self.window: i64 = BESIDE  # with a kernel's lock only
        self.returns = False
        self.name = name
        self.goes_on = goes_on
        self.ready = False
        self.work: Work = NOTHING
        self.wait: i64 = 0  # ps that the work waits for the bus; in the accounts, before anything else
        self.stall: i64 = 0  # ps that adapters have held up its access to memory, after everything else
        self.owed = 0  # ps of that which were too few to wait for: less than a few lines of memory take
        # What others have had of memory, and of the bus if the work moves data, counts from a mark while the work runs;
        # while it is suspended, `since` keeps what had been added to the mark by then.
        self.memory_mark: i64 = 0  # ps of Memory.taken()
        self.memory_since: i64 = 0
        self.bus_mark: i64 = 0  # ps of Bus.busy_until(); the mark has the work's own accesses in it
        self.bus_since: i64 = 0
        self.finish: i64 = 0  # when the work is done, if nothing comes between
        self.left: i64 = 0  # ps of it that are left, while it is suspended
        self.call: Planned | None = None  # by which its processor learns that the work is done; None: it is suspended

    def book(self, accounts: Counter[str], left: int) -> None:
        """Account for its work done when `left` ps are left: it waits, goes through its parts, and is held up."""
        work = self.work
        done = work.total + self.wait + self.stall - left
        waited = ((work.parts[0][0], self.wait),) if self.wait else ()
        for name, ps in (*waited, *work.parts, (STALL, self.stall)):
            accounts[name] += min(done, ps)
            done -= min(done, ps)
