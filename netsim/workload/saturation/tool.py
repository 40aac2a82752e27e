"""Saturated stations on one segment: its utilization, its fairness, and how long each frame waits.

This is the load that Boggs, Mogul and Kent put on a real cable: every station always has a frame to send. Hosts,
adapters and protocols take no time here, so the results describe the medium alone. Source: Boggs, Mogul and Kent,
"Measured capacity of an Ethernet: myths and reality" (SIGCOMM 1988).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import SEGMENT
from netsim.closed_form.bursts import quickest
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import SegmentSpec
from netsim.scenario import Scenario
from netsim.topology.stations import check_distances, position
from netsim.units import Count, Fraction, FrameSize, PositiveTime, S
from netsim.workload.saturation.run import SaturationRun

_FEWEST = 2  # stations: each sends to the next one


class Saturation(Scenario):
    """`stations` send frames of `frame` bytes (addresses to FCS), each to the next one and the last to the first. The
    stations are `spacing` metres apart along the cable; on a hub, that is the length of each cable. The throughput
    counts all bytes of these frames.

    Positional arguments: stations.
    """

    positional: ClassVar[tuple[str, ...]] = ("stations",)

    stations: Count = 5
    frame: FrameSize = 1518
    segment: SegmentSpec = Field(default_factory=lambda: SegmentSpec.from_name("10base2"))
    spacing: Count = 3
    duration: PositiveTime = 10 * S
    min_iterations: Count = 2
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, stations: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _on_one_segment(self) -> Self:
        """There are at least two stations, their frames fit, and all stations detect each other in time."""
        if self.stations < _FEWEST:
            raise ScenarioError(f"{self.stations} is not allowed; allowed: {_FEWEST} or more", address="stations")
        if self.frame > self.segment.max_frame:
            text = f"{self.frame} bytes are more than the segment accepts ({self.segment.max_frame})"
            raise ScenarioError(text, address="frame")
        check_distances(self.segment, self.spacing, self.names)
        return self

    @property
    def label(self) -> str:
        return "saturation"

    @property
    def names(self) -> list[str]:
        """The stations' names in accounts."""
        return [f"station{number}" for number in range(1, self.stations + 1)]

    def position(self, number: int) -> int:
        """The place (metres) of the station of this number, from 0, along the cable, or its distance to the hub."""
        return position(self.segment, self.spacing, number)

    def bounds(self) -> Bounds:
        """The medium without collisions: frames with preambles and gaps, back to back; those within a burst are not
        extended."""
        return Bounds({Resource("", SEGMENT): quickest(self.segment).frame_time(self.frame)}, self.frame)

    def build(self, env: Environment) -> SaturationRun:
        return SaturationRun(env, self)
