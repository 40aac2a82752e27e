"""The tracks that parts report on."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.watch.track import Track


class WatchedTrack:
    """A track by its name; what an observer knows of it is left here, as with an activity."""

    def __init__(self, name: Track) -> None:
        self.name = name
        self.known: object = None

    @staticmethod
    def of(resource: Resource, what: str = "") -> WatchedTrack:
        """Of a resource, or of `what` belongs to it."""
        return WatchedTrack(Track.of(resource, what))

    @staticmethod
    def drops(where: str) -> WatchedTrack:
        """Of what a host, or a switch, drops."""
        return WatchedTrack(Track.drops(where))
