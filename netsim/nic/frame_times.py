"""When frames arrive at a receive queue: the interface of their senders."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class FrameTimes:
    """Frames have numbers, from 0, in the order in which they come."""

    def count(self, time: int) -> int:
        """Frames that are there by `time` (ps), that moment included."""
        raise NotImplementedError

    def time(self, number: int) -> int:
        """When frame `number` is there (ps); -1: it never comes, as far as is known."""
        raise NotImplementedError
