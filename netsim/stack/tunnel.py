"""Security gateways: hosts that forward, and enclose packets for the other gateway in packets of the tunnel (RFC 2401,
4.1: tunnel mode). Enclosed packets that are too large are then fragmented, because ESP packets do not forbid it.

Linux 2.2 with KLIPS: ip_forward hands a packet to ipsec0, whose ipsec_tunnel_start_xmit encloses it and has IP send the
result through the card (ip_send: in fragments, if necessary). It also encloses a packet that is too large and must not
be fragmented, and notifies the sender (1.187: "send it anyways", unless built with IPSEC_obey_DF). At the other end
ip_local_deliver reassembles fragments, and ipsec_rcv opens the packet and hands it to netif_rx: it waits in the backlog
once more, and may be dropped there after all this work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame
from netsim.machine import Driver, Work
from netsim.machine.backlog import Handler
from netsim.stack.forwarding import Forwarder
from netsim.stack.ip import Reassembly
from netsim.stack.tunnel_costs import TunnelCosts

if TYPE_CHECKING:
    from netsim.stack.computer import Computer
    from netsim.stack.ipsec_spec import EspSpec


class TunnelFrame(Frame):
    """A frame with the packet that encloses `inner`, or with a fragment of that: `nbytes` of the `total` bytes of IP
    payload, from byte `offset` on. The packet is the `number`-th of its gateway (RFC 2406, 2.2: from 1)."""

    __slots__ = ("inner", "nbytes", "number", "offset", "total")

    def __init__(
        self, size: int, port: Any, owner: Any, inner: Frame, number: int, nbytes: int, total: int, offset: int
    ) -> None:
        self.size = size
        self.port = port
        self.owner = owner
        self.inner = inner
        self.number = number
        self.nbytes = nbytes
        self.total = total
        self.offset = offset

    def twin(self) -> TunnelFrame:
        return TunnelFrame(
            self.size, self.port, None, self.inner, self.number, self.nbytes, self.total, self.offset
        )


@mypyc_attr(allow_interpreted_subclasses=True)
class Encapsulator(Forwarder):
    """Forwards packets through the port of `driver`, enclosed by `esp`, in packets for the address `carried`."""

    def __init__(self, host: Computer, driver: Driver, carried: str, esp: EspSpec, mtu: int) -> None:
        super().__init__(host.spec, driver)
        self.host = host
        self.carried = carried
        self.packets = 0  # enclosed
        self._tunnel = TunnelCosts(host.spec, esp, mtu, driver.number)
        self._cuts: dict[int, list[tuple[int, int, int]]] = {}  # by bytes of the plain packet
        # By the same, and by the frames that go to the adapter: its own, some that have waited, or none yet.
        self._enclosed: dict[tuple[int, tuple[int, ...]], Work] = {}

    def arriving(self, frame: Frame) -> Work:
        packet = frame.packet
        sent = tuple([self._sent(size) for size, _, _ in self._cut(packet)])
        work = self._enclosed.get((packet, sent))
        if work is None:
            work = self._enclosed[packet, sent] = self._tunnel.enclose(packet, sent)
        return work

    def _cut(self, packet: int) -> list[tuple[int, int, int]]:
        """For each frame of a plain packet of that size: the frame's bytes, its bytes of IP payload, and the number of
        the first of these."""
        cut = self._cuts.get(packet)
        if cut is None:
            cut = self._cuts[packet] = self._tunnel.frames(packet)
        return cut

    def put(self, frame: Frame) -> None:
        """The work is done. A twin is enclosed: the frame itself stays with its sender."""
        inner = frame.twin()
        inner.owner = self
        self.note_sender(frame)
        self.packets += 1
        self.host.associations.packets[False] += 1
        cut = self._cut(frame.packet)
        total = sum([nbytes for _, nbytes, _ in cut])
        for size, nbytes, offset in cut:
            outer = TunnelFrame(size, self.carried, self, inner, self.packets, nbytes, total, offset)
            if offset == 0:
                self.sent_on(frame, outer)
            self.send(outer)


@mypyc_attr(allow_interpreted_subclasses=True)
class Decapsulator(Handler):
    """Opens packets that another gateway has enclosed, by `esp`."""

    def __init__(self, host: Computer, esp: EspSpec, mtu: int) -> None:
        self.host = host
        self.reassembly = host.env.part(Reassembly)(host.fragments)
        self.packets = 0  # opened
        self._costs = TunnelCosts(host.spec, esp, mtu, 0)
        self._fragment = self._costs.fragment()
        self._memories: dict[tuple[int, int], int] = {}  # by bytes of a frame, and the number of its port
        self._opened: dict[tuple[int, bool], Work] = {}  # by bytes of the plain packet, and whether it arrived whole

    @property
    def drops(self) -> dict[str, int]:
        """Abandoned packets."""
        return self.reassembly.drops

    def arriving(self, frame: TunnelFrame) -> Work:
        if not self.reassembly.completes(frame.number, frame.nbytes, frame.total):
            return self._fragment
        key = frame.inner.packet, frame.nbytes == frame.total
        work = self._opened.get(key)
        if work is None:
            work = self._opened[key] = self._costs.open(frame.inner.packet, frame.total, whole=key[1])
        return work

    def put(self, frame: TunnelFrame) -> None:
        """The work is done. If it completes a packet, the enclosed packet waits for deferred work again."""
        now = self.host.calendar.now
        if not self.reassembly.add(frame.number, frame.nbytes, frame.total, now, self._held(frame)):
            return
        self.packets += 1
        self.host.associations.packets[False] += 1
        inner = frame.inner
        inner.received_by = frame.received_by
        self.opened(frame, inner)
        self.host.hand_up_again(inner)

    def _held(self, frame: TunnelFrame) -> int:
        """The accounted bytes of a fragment while others are missing."""
        key = frame.size, frame.received_by
        memory = self._memories.get(key)
        if memory is None:
            memory = self._memories[key] = self._costs.memory(frame.size, frame.nbytes, frame.received_by)
        return memory

    def opened(self, frame: TunnelFrame, inner: Frame) -> None:
        """`frame` has completed the packet that encloses `inner`."""
