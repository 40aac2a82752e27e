"""The tracks that parts report on."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.watch.track import Track


class WatchedTrack:
    """A track by its name; an observer caches its own data about it here, as with an activity."""

    def __init__(self, name: Track) -> None:
        self.name = name
        self.known: object = None

    @staticmethod
    def of(resource: Resource, what: str = "") -> WatchedTrack:
        """The track of a resource, or of its part `what`."""
        return WatchedTrack(Track.of(resource, what))

    @staticmethod
    def drops(where: str) -> WatchedTrack:
        """The track of the drops of a host or a switch."""
        return WatchedTrack(Track.drops(where))
