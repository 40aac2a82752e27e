"""A host that forwards frames for others, by IP or as a bridge.

Forwarding happens in the deferred work that takes up received frames, without a process (Linux 2.2: net_bh calls
ip_rcv, which calls ip_forward, or the bridge's br_receive_frame; both call dev_queue_xmit). A frame goes to the adapter
at once, or waits in the device's queue while the ring is full. If the ring has room again but the queue has not been
restarted yet, each frame added to the queue causes the first one in it to be sent (qdisc_wakeup).
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
    """Forwards frames through one port, that of `driver`."""

    def __init__(self, host: ComputerSpec, driver: Driver) -> None:
        self.driver = driver
        self.accepted = 0  # frames to be forwarded
        self.left = 0  # those of them that the driver has released: sent or dropped
        self.routes = host.forwards == "ip"  # not as a bridge
        self.senders: dict[Any, Any] = {}  # the last sender of frames, by their address
        self._costs = ForwardingCosts(host, driver.number)
        self._works: dict[int, Work] = {}
        self._wakes = 0  # works that include sending another frame

    def arriving(self, frame: Frame) -> Work:
        sent = self._sent(frame.buffer)
        work = self._works.get(sent)
        if work is None:
            work = self._works[sent] = self._costs.work(sent or None)
        return work

    def _sent(self, buffer: int) -> int:
        """Bytes of memory of the frame that goes to the adapter when one of `buffer` bytes arrives: that frame, or one
        that has waited; 0: the frame waits."""
        if self.driver.straight() != QUEUED:
            return buffer
        sent = self.driver.held_back
        if sent:
            self._wakes += 1
        return sent

    def put(self, frame: Frame) -> None:
        """The work is done. The received frame stays with its sender, whose adapter may still need it."""
        twin = frame.twin()
        twin.owner = self
        self.note_sender(frame)
        self.sent_on(frame, twin)
        self.send(twin)

    def note_sender(self, frame: Frame) -> None:
        """Record what has sent `frame` to this host: its first sender, or another forwarder."""
        self.senders[frame.port] = frame.owner

    def passed(self, address: Any) -> tuple[Any, int]:
        """The first sender of the frames of this address that leave here, and the number of routers that they have
        passed since, including this one."""
        sender: Any = self
        routers = 0
        while isinstance(sender, Forwarder) and address in sender.senders:
            routers += sender.routes
            sender = sender.senders[address]
        return sender, routers

    def send(self, frame: Frame) -> None:
        """Send `frame`, and one that has waited if the work included that."""
        self.accepted += 1
        self.driver.put(frame)
        if self._wakes:
            self._wakes -= 1
            if self.driver.held_back:
                self.driver.dequeue()

    def sent_on(self, frame: Frame, twin: Frame) -> None:
        """`frame` is forwarded as its `twin`."""

    def freed(self, frame: Frame) -> None:
        """The driver has released a frame."""
        self.left += 1


def audit_forwarded(driver: Driver, forwarders: Sequence[Forwarder], alone: bool) -> None:
    """Check that every frame forwarded through a port was sent or dropped, waits, or is in the ring, and that no other
    frame is there if the host sends nothing itself (`alone`). Raises ConservationError."""
    waiting = driver.waiting
    inside = sum([one.accepted - one.left for one in forwarders])
    if not 0 <= inside <= waiting or (alone and inside < waiting):
        at = f"{driver.nic.name}: {waiting} frames wait to be sent"
        raise ConservationError(f"{at}, and {inside} have been forwarded and not left")
