"""A disk: one head that seeks, and a platter that always turns.

A command consists of the disk's own overhead, a seek, the wait until the first byte is under the head, and the
transfer. None of these is random: the angle of the platter is the elapsed time, modulo a revolution. Tracks are skewed
so that a transfer continues at `media_rate` from one track, or one cylinder, to the next; a byte's place is therefore
an angle that grows with its offset, and the head's place is the offset after the last byte that it has moved.

Not modelled: zones (one mean rate represents all), longer settling for writes, spared sectors, and the disk's own
buffer: the disk neither reads ahead nor acknowledges early, and data move to the channel once all have been read from
the platter.
"""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PS_PER_S, ByteRate, Count, PositiveBytes, PositiveTime, Time, format_time


class DiskSpec(Spec):
    """A disk of `capacity` bytes on `cylinders` cylinders. One revolution takes `rotation`; the platter delivers
    `media_rate` bytes per second. A seek takes `track_to_track` to the next cylinder, `average_seek` over a third of
    all cylinders (the mean distance of two random places), `full_stroke` over all. `overhead` is the time that the
    disk's controller needs for a command before the head moves. `order` is the order in which queued commands are
    served: "fifo", or "elevator" (by cylinder upwards, then from the lowest again: C-LOOK)."""

    catalogue = "disks"

    capacity: PositiveBytes
    cylinders: Count
    rotation: PositiveTime
    media_rate: ByteRate
    track_to_track: Time
    average_seek: Time
    full_stroke: Time
    overhead: Time
    order: Literal["fifo", "elevator"]

    @model_validator(mode="after")
    def _longer_seeks_take_longer(self) -> Self:
        """Longer distances take longer."""
        for name, shorter in (("average_seek", "track_to_track"), ("full_stroke", "average_seek")):
            time, least = getattr(self, name), getattr(self, shorter)
            if time < least:
                text = f"{format_time(time)} is less than {shorter}; allowed: {format_time(least)} or more"
                raise ScenarioError(text, address=name)
        return self

    def cylinder(self, offset: int) -> int:
        """The cylinder that holds a byte."""
        return min(offset * self.cylinders // self.capacity, self.cylinders - 1)

    def seek_time(self, distance: int) -> int:
        """ps to move the head by `distance` cylinders: a + b sqrt(distance) up to a third of all cylinders, where it
        accelerates all the way, and linear above (Ruemmler and Wilkes, An introduction to disk drive modeling, 1994).
        """
        if distance < 2:
            return self.track_to_track * distance
        third = self.cylinders / 3
        if distance < third:
            share = (math.sqrt(distance) - 1) / (math.sqrt(third) - 1)
            return round(self.track_to_track + share * (self.average_seek - self.track_to_track))
        share = (distance - third) / (self.cylinders - 1 - third)
        return round(self.average_seek + share * (self.full_stroke - self.average_seek))

    def transfer_time(self, nbytes: int) -> int:
        """ps for `nbytes` to pass the head."""
        return nbytes * PS_PER_S // self.media_rate

    def angle(self, offset: int) -> int:
        """Where a byte begins on its track, in ps of a revolution."""
        return self.transfer_time(offset) % self.rotation

    def service_time(self, now: int, from_cylinder: int, offset: int, nbytes: int) -> int:
        """ps for a command that begins at `now`, with the head on `from_cylinder`. A command for the bytes that follow
        on the disk then begins immediately: the transfer is the difference of two angles, and rounding never costs a
        revolution."""
        there = now + self.overhead + self.seek_time(abs(self.cylinder(offset) - from_cylinder))
        latency = (self.angle(offset) - there) % self.rotation
        return there - now + latency + self.transfer_time(offset + nbytes) - self.transfer_time(offset)
