"""Where parts report: a track each."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.watch.track import Track


class Line:
    """What a part reports on: a track, and what an observer knows it by."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self.known: object = None

    @staticmethod
    def of(resource: Resource, what: str = "") -> Line:
        """Of a resource, or of `what` belongs to it."""
        return Line(Track.of(resource, what))

    @staticmethod
    def drops(where: str) -> Line:
        """Of what a host, or a switch, drops."""
        return Line(Track.drops(where))
