"""When frames arrive at a receive queue: the interface of their senders."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class FrameTimes:
    """Arrival times of frames, which have numbers from 0 in order of arrival."""

    def count(self, time: int) -> int:
        """The number of frames that have arrived by `time` (ps), inclusive."""
        raise NotImplementedError

    def time(self, number: int) -> int:
        """When frame `number` arrives (ps); -1: never, as far as is known."""
        raise NotImplementedError
