"""The devices on which protocols send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame

if TYPE_CHECKING:
    from netsim.machine.driver import Driver

QUEUED: Final = -1  # no port: the frame waits above a full ring, and costs driver time later


@mypyc_attr(allow_interpreted_subclasses=True)
class Device:
    """The driver of one port, a bond, or a bond's lane to one peer. Its frames may take the ports of all `drivers`."""

    drivers: Sequence[Driver]

    def straight(self) -> int:
        """The number of the port to which the next frame goes directly; QUEUED if it has to wait."""
        raise NotImplementedError

    def put(self, frame: Frame) -> None:
        """Send `frame`."""
        raise NotImplementedError
