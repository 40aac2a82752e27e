"""What resources are busy with."""

from __future__ import annotations

from typing import Final

Parts = tuple[tuple[str, int], ...]  # what something consists of, one behind the other: names, and how long (ps)


class Activity:
    """What a resource is busy with, by its `name`: all of it consists of `parts`, unless there are none. What is told
    again and again is the same object, so that an observer can leave here (`known`) what it would look up each time."""

    def __init__(self, name: str, parts: Parts = ()) -> None:
        self.name = name
        self.parts = parts
        self.known: object = None


FRAME: Final = Activity("frame")
