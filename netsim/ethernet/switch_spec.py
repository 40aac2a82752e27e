"""A store-and-forward switch."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PositiveBytes, Time


class SwitchSpec(Spec):
    """`latency` (ps) from the arrival of a frame's last bit until its first bit may leave, if the port is idle (RFC
    1242, 3.8: of a store-and-forward device), `buffer` of each output port and `max_frame` that it accepts, with FCS
    (bytes).

    Frames are distributed over the ports of a `trunk` by "address", all of a conversation through one port, or
    "round-robin"; `link_detection` is the time (ps) from a cable's failure, or its return, until the trunk stops, or
    resumes, using its port.
    """

    catalogue = "switches"

    latency: Time
    buffer: PositiveBytes
    max_frame: PositiveBytes
    trunk: Literal["address", "round-robin"] = "address"
    link_detection: Time

    @model_validator(mode="after")
    def _holds_a_frame(self) -> Self:
        """A frame is stored before it is forwarded."""
        if self.buffer < self.max_frame:
            text = f"{self.buffer} bytes don't hold a frame; allowed: {self.max_frame} (max_frame) or more"
            raise ScenarioError(text, address="buffer")
        return self
