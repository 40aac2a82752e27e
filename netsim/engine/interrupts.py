"""Ctrl-C between two events.

A signal may arrive in the middle of an event. The event would then be left half done, and compiled code, which mistakes
an exception in its integer arithmetic for a lack of memory, would abort the process. So while events are processed,
Ctrl-C plans an event that runs next and calls the previous handler. A second Ctrl-C does not wait, because an event may
hang.
"""

from __future__ import annotations

# CPython's module below `signal`, which itself would try to make an enum of each handler: that takes longer than a
# short sample.
import _signal as signal  # type: ignore[import-not-found]
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

from netsim.engine.queues import Calendar


@contextmanager
def between_events(calendar: Calendar) -> Iterator[None]:
    """The context in which `calendar` is processed: it takes effect only in the thread that receives signals, and only
    if Ctrl-C has a handler."""
    handler = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(handler):
        yield
        return
    planned: list[Any] = []

    def note(*received: Any) -> None:
        if planned:
            handler(*received)
        planned.append(calendar.call_first(calendar.now, handle, received))

    def handle(received: tuple[Any, ...]) -> None:
        calendar.events -= 1  # it is not an event of the model
        planned.clear()
        handler(*received)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        for call in planned:  # Ctrl-C came during the last event
            calendar.cancel(call)
    if planned:
        handler(signal.SIGINT, None)
