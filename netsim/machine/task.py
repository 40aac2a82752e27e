"""Tasks, which run on a processor and do works in sequence."""

from __future__ import annotations

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
STALL: Final = "memory stall"  # the name under which Task.stall is booked

# How a process in a call treats the host's bottom halves before it continues with its next work.
BESIDE: Final = 0  # not at all: they run beside it
WAITS: Final = 1  # waits until none runs (Linux 2.2: lock_sock)
EXCLUDES: Final = 2  # waits, and keeps them out until that work is done (start_bh_atomic)


@trait
@mypyc_attr(allow_interpreted_subclasses=True)
class Worker:
    """The content of a task: it names the next work, and applies its effect."""

    __slots__ = ()

    def begin(self) -> Work | None:
        """The next work; None: none until the task is kicked again."""
        raise NotImplementedError

    def end(self) -> bool:
        """That work is done; whether more may follow."""
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
    """A Worker with both functions: if they are the methods of a Worker, that Worker itself, whose calls need no
    indirection when compiled."""
    owner = getattr(begin, "__self__", None)
    if isinstance(owner, Worker) and begin == owner.begin and end == owner.end:
        return owner
    return _Pair(begin, end)


class Task:
    """Runs on a processor whenever it is kicked and has work.

    `begin` returns the next work (None: none until kicked again). When the time of that work is spent, `end` applies
    its effect and says whether more may follow. A task never runs twice at once: kicking it while it is `ready`
    (queued, running, suspended or waiting for its lock) does nothing, as it will look for work again anyway.

    A task with a `lock` holds it from each `begin` to its `end`, and with `keeps` until it has no more work or another
    task's turn comes on its processor; an interrupt handler has none. If it has to wait for the lock, it `spins`, or
    else leaves its processor to others (`awaited`: the lock that it waits for). `name` is its name in the lock's
    accounts. A process that `keeps` its lock is inside a system call, which only interrupts and bottom halves can
    interrupt; its `end` sets `returns` when it leaves the call. While it has work, one that `goes_on` neither lets
    another task of its level go first nor releases its lock: without time slices, nothing makes a thread give up its
    processor, and a deferred procedure call runs to its end.
    """

    __slots__ = (
        "awaited", "bus_mark", "bus_since", "call", "finish", "goes_on", "held", "keeps", "last", "left", "level",
        "lock", "memory_mark", "memory_since", "name", "owed", "priority", "ready", "returns", "spins", "stall", "wait",
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
        # A task with a level below this value suspends it: its own level, unless interrupts are `masked`.
        self.priority: i64 = DECIDING if masked else level
        self.worker = worker(begin, end)
        self.lock = lock
        self.spins = spins
        self.keeps = keeps
        self.awaited: Lock | None = None
        self.last: Processor | None = None  # where it last had its lock
        self.window: i64 = BESIDE  # only with a kernel lock
        self.returns = False
        self.name = name
        self.goes_on = goes_on
        self.ready = False
        self.work: Work = NOTHING
        self.wait: i64 = 0  # ps that the work waits for the bus; booked before anything else, except for
        self.held: i64 = 0  # those of them that have prolonged it, booked after all of its parts
        self.stall: i64 = 0  # ps for which adapters have delayed its memory accesses; booked after everything else
        self.owed = 0  # ps of such delay too short to wait for: less than the time of a few memory lines
        # The time for which others had memory, and the bus if the work moves data, counts from a mark while the work
        # runs; while it is suspended, `since` keeps the time added since the mark.
        self.memory_mark: i64 = 0  # ps of Memory.taken()
        self.memory_since: i64 = 0
        self.bus_mark: i64 = 0  # ps of Bus.busy_until(); the mark includes the work's own accesses
        self.bus_since: i64 = 0
        self.finish: i64 = 0  # when the work is done, if nothing delays it
        self.left: i64 = 0  # ps of work left, while it is suspended
        self.call: Planned | None = None  # tells its processor that the work is done; None: it is suspended

    def book(self, accounts: dict[str, int], left: int) -> None:
        """Account for its work done when `left` ps are left: its wait, its parts in order, and its delays."""
        work = self.work
        done = work.total + self.wait + self.stall - left
        first = work.parts[0][0] if self.wait else ""
        waited, held = (((first, ps),) if ps else () for ps in (self.wait - self.held, self.held))
        for name, ps in (*waited, *work.parts, *held, (STALL, self.stall)):
            spent = min(done, ps)
            accounts[name] = accounts.get(name, 0) + spent
            done -= spent
