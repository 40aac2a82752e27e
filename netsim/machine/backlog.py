"""The layer between drivers and protocols: received frames, and a processor's deferred work that takes them up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.errors import SimulationError
from netsim.ethernet import Frame
from netsim.machine.clock import Clock
from netsim.machine.processor import Here, Processor
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, Task, Worker
from netsim.machine.work import Work


@mypyc_attr(allow_interpreted_subclasses=True)
class Handler:
    """The receiver of frames from deferred work. A handler knows which kind of frame arrives on its port."""

    def arriving(self, frame: Any) -> Work | None:
        """The processor's work for `frame`; None: none now, the handler has kept it."""
        raise NotImplementedError

    def put(self, frame: Any) -> None:
        """That work is done: `frame` belongs to the handler."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Backlog(Worker):
    """The frames that the drivers on one processor have received, up to the kernel's limit, and the work to take them
    up. The work is done there, or on the processor whose driver is active at that moment (`here`).
    """

    def __init__(
        self,
        kernel: KernelSpec,
        processor: Processor,
        handlers: dict[Any, Handler],
        *,
        here: Here | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.handled = 0  # frames handed to a handler
        self.dropped = 0
        self._limit = kernel.backlog
        self._drains = kernel.backlog_drains
        self._draining = False  # it has overflowed and is not yet empty
        self.processor = processor
        self._here = here
        self._handlers = handlers
        self._frames: Fifo[Frame] = Fifo()
        self._stopped: Fifo[Task] = Fifo()  # tasks that restart queues
        self._restarting: Task | None = None
        self._clock = clock if kernel.pass_ticks else None  # None: it never breaks off
        self._pass_ticks = kernel.pass_ticks
        self._starts = self._queues_turn = True  # a pass starts; it is the queues' turn
        self._began = 0  # clock ticks when the pass began
        self._frame: Frame | None = None
        self._handler: Handler | None = None
        self.interrupted: list[Callable[[], None]] = []  # notify each driver that another handler begins
        self._work = Task(DEFERRED, self.begin, self.end, name="receive")

    def put(self, frame: Frame) -> None:
        """A driver has received `frame`: it waits for deferred work, if there is room."""
        waiting = len(self._frames)
        if waiting >= self._limit or (self._draining and waiting):
            self.drop(frame)
            return
        self._draining = False
        self._frames.append(frame)
        if not self._work.ready:
            self._at().kick(self._work)

    def restart(self, queue: Task) -> None:
        """A device has room for a queue again: the task `queue` restarts it."""
        if not queue.ready:
            queue.ready = True
            self._stopped.append(queue)
            if not self._work.ready:
                self._at().kick(self._work)

    def _at(self) -> Processor:
        return self.processor if self._here is None else self._here.processor

    def drop(self, frame: Frame) -> None:
        """There is no room for `frame`."""
        self._draining = self._drains
        self.dropped += 1

    def begin(self) -> Work | None:
        """Take the first waiting frame whose handler has work for it now or, at the beginning and at the end of a pass,
        restart the first stopped queue that has work."""
        if self._starts:
            self._starts = False
            self._queues_turn = True
            self._began = self._clock.ticks if self._clock is not None else 0
        if self._queues_turn:
            work = self._next_restart() if self._stopped else None
            if work is not None:
                return work
            self._queues_turn = False
        return self._first_frame()

    def _next_restart(self) -> Work | None:
        stopped = self._stopped
        while stopped:
            self._restarting = task = stopped[0]
            work = task.worker.begin()
            if work is not None:
                return work
            self._restarted()
        return None

    def _restarted(self) -> None:
        self._stopped.popleft().ready = False
        self._restarting = None

    def _first_frame(self) -> Work | None:
        clock = self._clock
        while self._frames:
            if clock is not None and clock.ticks - self._began >= self._pass_ticks:
                self._break_off()
                return None
            frame = self._frames.popleft()
            handler = self._handler = self._handlers.get(frame.port)
            if handler is None:
                raise SimulationError(f"{self.processor.name}: nothing receives on port {frame.port!r}")
            work = handler.arriving(frame)
            if work is not None:
                self._frame = frame
                return work
            self.handled += 1
        work = self._next_restart() if self._stopped else None
        self._starts = work is None
        self._queues_turn = not self._starts
        return work

    def _break_off(self) -> None:
        """The pass has lasted too long; the work stays marked."""
        self._starts = True
        self._at().put_off(self._work)

    def end(self) -> bool:
        restarting = self._restarting
        if restarting is not None:
            if not restarting.worker.end():
                self._restarted()
            return True
        frame, self._frame = self._frame, None
        self.handled += 1
        self._handler.put(frame)  # type: ignore[union-attr]
        self._starts = not (self._frames or self._stopped)  # otherwise this pass continues
        return not self._starts

    @property
    def inside(self) -> int:
        """Frames waiting here or being taken up."""
        return len(self._frames) + (self._frame is not None)
