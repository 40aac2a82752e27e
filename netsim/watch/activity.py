"""What resources are busy with."""

from __future__ import annotations

from typing import Final

Parts = tuple[tuple[str, int], ...]  # consecutive parts of something: names, and their lengths (ps)


class Activity:
    """What a resource is busy with, by its `name`; its `parts`, if any, add up to all of it. An activity reported often
    is the same object each time, so an observer can leave here (`known`) what it would otherwise look up."""

    def __init__(self, name: str, parts: Parts = ()) -> None:
        self.name = name
        self.parts = parts
        self.known: object = None


FRAME: Final = Activity("frame")
