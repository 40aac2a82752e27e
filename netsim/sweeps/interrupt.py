"""Ctrl-C as a request: a result that is being stored is stored, then the sweep ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Within it, the first Ctrl-C is only noted; a second one is raised at once. A handler that the user has set is
    left alone, and so is any thread but the main one."""
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)

    def note(_: int, __: FrameType | None) -> None:
        interrupt.asked = True
        signal.signal(signal.SIGINT, before)

    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
