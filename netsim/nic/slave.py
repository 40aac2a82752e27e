"""An adapter with its own memory, whose data the host's processor moves: programmed I/O, or shared memory.

Received frames stay in the card's buffer until the driver has moved them; frames to be sent are moved there first. A
card may announce a frame, and let the driver begin with it, while still receiving it; and it may begin to send a frame
before all of it is there.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.accounts.resource import RECEIVER, TRANSMITTER
from netsim.engine import Environment, Fifo
from netsim.ethernet import Access, Frame, Link, Medium, OwnCable
from netsim.ethernet.frame import FCS
from netsim.nic.half_duplex import HalfDuplexTransmitter
from netsim.nic.moderation import Moderator
from netsim.nic.moderation_spec import NONE, Moderation
from netsim.nic.slave_spec import SlaveSpec
from netsim.nic.transmit_fifo import FifoTransmitter


@mypyc_attr(allow_interpreted_subclasses=True)
class SlaveReceiver:
    """The receiving half in a running simulation. The driver takes frames from `ready` and gives back their `room`."""

    def __init__(
        self, env: Environment, spec: SlaveSpec, entry: int, moving: Callable[[int], int], name: Resource
    ) -> None:
        self.env = env
        self.calendar = env.calendar
        self.spec = spec
        self.name = name
        self.medium: Medium | None = None  # the medium from which it receives
        self.interrupt: Callable[[], None] = lambda: None  # called when it has an event to report to the host
        self.ready: Fifo[Frame] = Fifo()  # on the card, not taken by the driver yet
        self.room = 0  # room that the driver has left in the buffer: bytes, or frames if it counts those
        self.ring_of_bytes = True
        self.stops = False  # whether it stops at the first frame that finds no room
        self.stopped = False  # it accepts no frame until the driver starts it again
        self.frames_arrived = 0
        self.drops = {"receive buffer": 0}
        self._early = spec.calls_early
        self._entry = entry  # ps from the interrupt until the driver takes a frame
        self._moving = moving  # ps that the driver then takes for a frame of n bytes of memory
        self._coming = 0  # frames announced to the driver that it can't take yet
        self._waits: dict[int, int] = {}  # ps for which it can't take them, by frame size
        self._stored: dict[int, int] = {}  # bytes of the buffer, by frame size

    def receive_lead(self, size: int) -> int:
        """ps before a frame's last bit at which the driver is called."""
        return self._lead(size, self._entry + self._moving(size - FCS))

    def _lead(self, size: int, handling: int) -> int:
        assert self.medium is not None
        return self.spec.rx_lead_time(self.medium, size, handling)

    def put(self, frame: Frame) -> None:
        """A frame arrives from the wire. A driver called before the frame's last bit may take it only once it can no
        longer overtake the wire, even if the driver is already at work."""
        self.frames_arrived += 1
        room = self.room - self._need(frame)
        if room < 0 or self.stopped:
            self.drop(frame)
        else:
            self.room = room
            self.accept(frame)

    def drop(self, frame: Frame) -> None:
        """The buffer has no room for `frame`, or had none for an earlier frame."""
        self.drops["receive buffer"] += 1
        if self.stops and not self.stopped:
            self.stopped = True
            interrupt = self.interrupt
            interrupt()

    def go_on(self) -> None:
        """The driver has started the card again."""
        self.stopped = False

    def accept(self, frame: Frame) -> None:
        """The buffer has room for `frame`: the driver is called for it, before or at its last bit."""
        if not self._early:
            self._may_be_taken(frame)
            return
        self._coming += 1
        wait = self._waits.get(frame.size)
        wait = self._wait(frame.size) if wait is None else wait
        self.calendar.call_at(self.calendar.now + wait, self._there, frame)
        interrupt = self.interrupt
        interrupt()

    def _wait(self, size: int) -> int:
        wait = self._waits[size] = self.receive_lead(size) - self._lead(size, self._moving(size - FCS))
        return wait

    def _there(self, frame: Frame) -> None:
        self._coming -= 1
        self._may_be_taken(frame)

    def _may_be_taken(self, frame: Frame) -> None:
        self.ready.append(frame)
        interrupt = self.interrupt
        interrupt()

    def refill(self, frame: Frame) -> None:
        """The driver has moved `frame`."""
        self.room += self._need(frame)

    def _need(self, frame: Frame) -> int:
        if not self.ring_of_bytes:
            return 1
        stored = self._stored.get(frame.size)
        if stored is None:
            stored = self._stored[frame.size] = self.spec.stored(frame.size)
        return stored

    @property
    def frames_inside(self) -> int:
        """Frames that have arrived and not reached the driver yet."""
        return len(self.ready) + self._coming


class SlaveNic:
    """One port of such an adapter in a running simulation, with this `number` in `host`. Its driver takes `entry` ps
    from the interrupt until it takes a frame, and `moving(n)` ps for one of n bytes of memory. It checks how many bytes
    of a transmit FIFO are free, and requires `enough` for a frame (0: it does not check)."""

    def __init__(
        self, env: Environment, spec: SlaveSpec, entry: int, moving: Callable[[int], int], host: str, number: int,
        enough: int = 0,
    ) -> None:
        self.env = env
        self.spec = spec
        self.host = host
        self.name = f"{host} nic {number}"
        self.onboard = self.crypto = None
        sends, receives = (Resource(host, kind, number) for kind in (TRANSMITTER, RECEIVER))
        self.transmitter: HalfDuplexTransmitter
        turnaround = spec.tx_turnaround
        if enough:
            fifo = spec.tx_buffer, spec.tx_header, enough
            self.transmitter = env.part(FifoTransmitter)(env, sends, *fifo, turnaround=turnaround)
        else:
            chained = spec.tx_chained
            self.transmitter = env.part(HalfDuplexTransmitter)(env, sends, chained=chained, turnaround=turnaround)
        self.receiver = env.part(SlaveReceiver)(env, spec, entry, moving, receives)
        self.drops = self.receiver.drops
        self.moderators: list[Moderator] = []
        self.given_up = self.transmitter.given_up

    def connect(
        self, interrupt: Callable[[], None], rx: Moderation = NONE, tx: Moderation = NONE,
        sent: Callable[[], None] | None = None,
    ) -> None:
        """Call `interrupt` where the chip would raise its interrupt line, or `sent` for sent frames. The card delays no
        interrupt."""
        self.receiver.interrupt = interrupt
        self.transmitter.interrupt = interrupt if sent is None else sent

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        self.join(OwnCable(out, into), into.spec)

    def join(self, mac: Access, medium: Medium) -> None:
        """Send and receive through `mac`, on a `medium`."""
        self.transmitter.mac = mac
        if isinstance(self.transmitter, FifoTransmitter):
            mac.certain = self.transmitter.certain
        self.transmitter.medium = self.receiver.medium = medium
        mac.attach(self.receiver)

    @property
    def wire(self) -> Resource | None:
        """The name of the wire on which it sends; None: it has no cable."""
        return self.transmitter.mac.wire if self.transmitter.mac else None
