"""An array's description: its disks, level and stripe units."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.storage.disk_spec import DiskSpec
from netsim.storage.raid import LEVELS, Striping
from netsim.units import Parts, PositiveBytes


class RaidSpec(Spec):
    """An array of `disks` with a RAID `level`, cut into units of `stripe_unit` bytes."""

    level: Literal[0, 5]
    disks: Parts
    stripe_unit: PositiveBytes

    @model_validator(mode="after")
    def _enough_disks(self) -> Self:
        """The level has the number of disks that it needs."""
        least = LEVELS[self.level].least_disks
        if self.disks < least:
            text = f"{self.disks} are too few for RAID level {self.level}; allowed: {least} or more"
            raise ScenarioError(text, address="disks")
        return self

    @property
    def layout(self) -> Striping:
        """Which disk holds which data."""
        return LEVELS[self.level](self.disks, self.stripe_unit)

    def capacity(self, disk: DiskSpec) -> int:
        """Bytes of data that the array can hold on disks like `disk`: whole rows only."""
        return disk.capacity // self.stripe_unit * self.layout.row
