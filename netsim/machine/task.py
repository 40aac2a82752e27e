"""What runs on a processor: a task, which has one piece of work after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

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
        "awaited", "begin", "bus_mark", "bus_since", "call", "end", "finish", "goes_on", "keeps", "last", "left",
        "level", "lock", "memory_mark", "memory_since", "name", "owed", "priority", "ready", "returns", "spins",
        "stall", "wait", "window", "work",
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
        self.begin = begin
        self.end = end
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
        self.wait = 0  # ps that the work waits for the bus; in the accounts, before anything else
        self.stall = 0  # ps that adapters have held up its access to memory, after everything else
        self.owed = 0  # ps of that which were too few to wait for: less than a few lines of memory take
        # What others have had of memory, and of the bus if the work moves data, counts from a mark while the work runs;
        # while it is suspended, `since` keeps what had been added to the mark by then.
        self.memory_mark = self.memory_since = 0  # ps of Memory.taken()
        self.bus_mark = self.bus_since = 0  # ps of Bus.busy_until(); the mark has the work's own accesses in it
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
