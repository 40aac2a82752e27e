"""The activities that keep resources busy."""

from __future__ import annotations

from typing import Final

Parts = tuple[tuple[str, int], ...]  # consecutive parts of something: names and lengths (ps)


class Activity:
    """Something that keeps a resource busy, by its `name`; the `parts`, if any, add up to the whole. A frequently
    reported activity is the same object each time, so an observer can cache its own data about it here (`known`)."""

    def __init__(self, name: str, parts: Parts = ()) -> None:
        self.name = name
        self.parts = parts
        self.known: object = None


FRAME: Final = Activity("frame")
