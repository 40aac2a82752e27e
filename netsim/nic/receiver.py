"""The receiving half of a bus-master adapter: receive FIFO, DMA engine, descriptor ring, interrupts.

Its transactions for a frame:
  1. the frame fills the receive FIFO; memory write in bursts once `rx_threshold` bytes are there;
  2. memory read and write: the descriptor (`rx_descriptor` bytes) and its status (`rx_status` bytes);
  3. an interrupt.
Reception moves as many short bursts while the frame comes in; here they are one train that ends when they would end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from netsim.bus import PciBus, PciSpec, Transaction
from netsim.ethernet import Frame, LinkSpec
from netsim.ethernet.frame import FCS
from netsim.spec import Spec
from netsim.units import Bytes, PositiveBytes


class ReceiverSpec(Spec):
    """Sizes in bytes."""

    max_burst: PositiveBytes
    rx_threshold: Bytes
    rx_fifo: PositiveBytes
    rx_descriptor: Bytes
    rx_status: Bytes

    def rx_bus_time(self, pci: PciSpec, size: int) -> int:
        """ps of bus that receiving a frame of `size` bytes in memory takes."""
        return (
            pci.transfer_time(self.rx_descriptor, write=False)
            + pci.transfer_time(size, True, self.max_burst)
            + pci.transfer_time(self.rx_status, write=True)
        )

    def rx_lead_time(self, pci: PciSpec, link: LinkSpec, size: int) -> int:
        """ps before a frame's last bit at which its train of bursts begins: so that at the last bit no more than
        `rx_threshold` bytes are left to move, and not before `rx_threshold` bytes have come in."""
        tail = pci.transfer_time(min(size, self.rx_threshold), True, self.max_burst)
        tail += pci.transfer_time(self.rx_status, write=True)
        return max(0, min(self.rx_bus_time(pci, size) - tail, link.time(size - self.rx_threshold)))


class Receiver:
    """The receiving half in a running simulation. The driver takes frames from `ready` and gives back their `room`."""

    __slots__ = (
        "_dma", "_fifo", "_fifo_bytes", "_fifo_size", "_times", "bus", "drops", "frames_arrived", "interrupt",
        "link_spec", "pci", "ready", "ring_of_bytes", "room", "spec",
    )

    def __init__(self, spec: ReceiverSpec, bus: PciBus, pci: PciSpec) -> None:
        self.spec = spec
        self.bus = bus
        self.pci = pci
        self.link_spec: LinkSpec | None = None  # of what it receives from
        self.interrupt: Callable[[], None] = lambda: None  # raised towards the host
        self.room = 0  # what the receive ring has free: frames, or bytes if it is a ring of bytes
        self.ring_of_bytes = False
        self.ready: deque[Frame] = deque()  # in host memory, not taken by the driver yet
        self.frames_arrived = 0
        self.drops = {"receive ring": 0, "receive fifo": 0}
        self._fifo: deque[Frame] = deque()
        self._fifo_bytes = 0
        self._fifo_size = spec.rx_fifo
        self._dma = Transaction(pci.clocks(pci.overhead_clocks(write=True)), done=self._stored)
        self._times: dict[int, int] = {}

    def receive_lead(self, size: int) -> int:
        """See ethernet.link.Station."""
        assert self.link_spec is not None
        return self.spec.rx_lead_time(self.pci, self.link_spec, size - FCS)

    def arrive(self, frame: Frame) -> None:
        """A frame comes in from the wire."""
        self.frames_arrived += 1
        size = frame.size
        room = self.room - (size if self.ring_of_bytes else 1)
        if room < 0:
            self.drops["receive ring"] += 1
            return
        if self._fifo:
            if self._fifo_bytes + size > self._fifo_size:
                self.drops["receive fifo"] += 1
                return
            self._fifo_bytes += size
        else:
            self._fifo_bytes = size
            self.bus.request(self._dma, self._times.get(size) or self._time(frame))
        self.room = room
        self._fifo.append(frame)

    def _time(self, frame: Frame) -> int:
        time = self._times[frame.size] = self.spec.rx_bus_time(self.pci, frame.buffer)
        return time

    def _stored(self, dma: Transaction) -> None:
        fifo = self._fifo
        frame = fifo.popleft()
        self.ready.append(frame)
        if fifo:
            self._fifo_bytes -= frame.size
            self.bus.request(dma, self._times.get(fifo[0].size) or self._time(fifo[0]))
        interrupt = self.interrupt
        interrupt()

    def refill(self, frame: Frame) -> None:
        """The driver has emptied the ring entry of `frame`."""
        self.room += frame.size if self.ring_of_bytes else 1

    @property
    def frames_inside(self) -> int:
        """Frames that arrived and are not with the driver yet."""
        return len(self._fifo) + len(self.ready)
