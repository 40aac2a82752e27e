"""What lies between drivers and protocols: received frames, and the deferred work of a processor that takes them up."""

from __future__ import annotations

from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.errors import SimulationError
from netsim.ethernet import Frame
from netsim.machine.lock import Lock
from netsim.machine.processor import Processor
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, Task
from netsim.machine.work import Work


@mypyc_attr(allow_interpreted_subclasses=True)
class Handler:
    """What deferred work hands a received frame to. A handler knows what kind of frame comes on its port."""

    def arriving(self, frame: Any) -> Work | None:
        """What the processor has to do for `frame`; None: nothing now, the handler has kept it."""
        raise NotImplementedError

    def put(self, frame: Any) -> None:
        """That work is done: `frame` is the handler's."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Backlog:
    """The frames that the drivers on one processor have received, up to the kernel's limit, and the work to take them
    up; `lock`, `spins` and `keeps` are the work's."""

    def __init__(
        self,
        kernel: KernelSpec,
        processor: Processor,
        handlers: dict[Any, Handler],
        lock: Lock | None,
        *,
        spins: bool = True,
        keeps: bool = True,
    ) -> None:
        self.handled = 0  # frames handed to one of the handlers
        self.dropped = 0
        self._limit = kernel.backlog
        self._drains = kernel.backlog_drains
        self._draining = False  # it has overflowed, and is not empty yet
        self.processor = processor
        self._handlers = handlers
        self._frames: Fifo[Frame] = Fifo()
        self._frame: Frame | None = None
        self._handler: Handler | None = None
        self._work = Task(DEFERRED, self.take_up, self._end, lock, spins=spins, keeps=keeps, name="receive")

    def put(self, frame: Frame) -> None:
        """A driver has received `frame`: it waits for deferred work, if there is room."""
        waiting = len(self._frames)
        if waiting >= self._limit or (self._draining and waiting):
            self.drop(frame)
            return
        self._draining = False
        self._frames.append(frame)
        if not self._work.ready:
            self.processor.kick(self._work)

    def drop(self, frame: Frame) -> None:
        """There is no room for `frame`."""
        self._draining = self._drains
        self.dropped += 1

    def take_up(self) -> Work | None:
        """The first frame that waits is next, if its handler has something to do for it now."""
        while self._frames:
            frame = self._frames.popleft()
            handler = self._handler = self._handlers.get(frame.port)
            if handler is None:
                raise SimulationError(f"{self.processor.name}: nobody receives on port {frame.port!r}")
            work = handler.arriving(frame)
            if work is not None:
                self._frame = frame
                return work
            self.handled += 1
        return None

    def _end(self) -> bool:
        frame, self._frame = self._frame, None
        self.handled += 1
        self._handler.put(frame)  # type: ignore[union-attr]
        return bool(self._frames)

    @property
    def inside(self) -> int:
        """Frames that wait here or are being taken up."""
        return len(self._frames) + (self._frame is not None)
