"""A host that sends on what it receives for others, by IP or as a bridge.

It does so in the deferred work that takes received frames up, without a process (Linux 2.2: net_bh calls ip_rcv, which
calls ip_forward, or the bridge's br_receive_frame, and these dev_queue_xmit). A frame goes to the adapter at once, or
waits in the device's queue while the ring is full. Where the ring has room again and others still wait, as their
restart has not had its turn, each frame that is queued behind them has the first one sent (qdisc_wakeup).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from netsim.errors import ConservationError
from netsim.ethernet import Frame
from netsim.machine import Driver, Work
from netsim.machine.backlog import Handler
from netsim.machine.device import QUEUED
from netsim.stack.forwarding_costs import ForwardingCosts

if TYPE_CHECKING:
    from netsim.stack.computer_spec import ComputerSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Forwarder(Handler):
    """Sends on what leaves by one port, that of `driver`."""

    def __init__(self, host: ComputerSpec, driver: Driver) -> None:
        self.driver = driver
        self.accepted = 0  # frames, to be sent on
        self.left = 0  # of these, those that the driver has let go of: they are sent, or dropped
        self.senders: dict[Any, Any] = {}  # by the frames' address, what has sent them first
        self._costs = ForwardingCosts(host, driver.number)
        self._works: dict[int, Work] = {}
        self._wakes = 0  # works that have another frame's sending in them

    def arriving(self, frame: Frame) -> Work:
        sent = self._sent(frame.buffer)
        work = self._works.get(sent)
        if work is None:
            work = self._works[sent] = self._costs.work(sent or None)
        return work

    def _sent(self, buffer: int) -> int:
        """Bytes of memory of what goes to the adapter for a frame of `buffer` bytes: it, or one that has waited; 0: it
        waits itself."""
        if self.driver.straight() != QUEUED:
            return buffer
        sent = self.driver.held_back
        if sent:
            self._wakes += 1
        return sent

    def put(self, frame: Frame) -> None:
        """The work is done. The frame that came in stays its sender's, whose adapter may not be through with it."""
        twin = frame.twin()
        twin.owner = self
        self.note_sender(frame)
        self.sent_on(frame, twin)
        self.send(twin)

    def note_sender(self, frame: Frame) -> None:
        """What has sent `frame` first is behind what has sent it last."""
        owner = frame.owner
        self.senders[frame.port] = owner.senders.get(frame.port) if isinstance(owner, Forwarder) else owner

    def send(self, frame: Frame) -> None:
        """Send `frame`, and one that has waited if the work had that in it."""
        self.accepted += 1
        self.driver.put(frame)
        if self._wakes:
            self._wakes -= 1
            if self.driver.held_back:
                self.driver.dequeue()

    def sent_on(self, frame: Frame, twin: Frame) -> None:
        """From here on `frame` is its `twin`."""

    def freed(self, frame: Frame) -> None:
        """The driver has let go of a frame."""
        self.left += 1


def audit_forwarded(driver: Driver, forwarders: Sequence[Forwarder], alone: bool) -> None:
    """What all that send on by a port have not sent and not dropped waits, or lies in the ring; nothing else does, if
    the host sends nothing of its own (`alone`). Raises ConservationError."""
    waiting = driver.waiting
    inside = sum([one.accepted - one.left for one in forwarders])
    if not 0 <= inside <= waiting or (alone and inside < waiting):
        at = f"{driver.nic.name}: {waiting} frames wait to be sent"
        raise ConservationError(f"{at}, and {inside} have been forwarded and not left")
