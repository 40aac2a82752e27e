"""What a store-and-forward switch is."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PositiveBytes, Time


class SwitchSpec(Spec):
    """`latency` (ps) from a frame's last bit in until its first may leave, if the port is idle (RFC 1242, 3.8:
    of a store-and-forward device), `buffer` of each output port and `max_frame` that it takes, with FCS (bytes).

    Over the ports of a `trunk` frames go by their "address", all of a conversation through one port, or "round-robin";
    `link_detection` (ps) from a cable's failure, or its return, until the trunk leaves its port out, or takes it in.
    """

    catalogue = "switches"

    latency: Time
    buffer: PositiveBytes
    max_frame: PositiveBytes
    trunk: Literal["address", "round-robin"] = "address"
    link_detection: Time = 0

    @model_validator(mode="after")
    def _holds_a_frame(self) -> Self:
        """A frame is stored before it is forwarded."""
        if self.buffer < self.max_frame:
            text = f"{self.buffer} bytes don't hold a frame; allowed: {self.max_frame} (max_frame) or more"
            raise ScenarioError(text, address="buffer")
        return self
