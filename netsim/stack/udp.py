"""UDP sockets (RFC 768): datagrams cut into IP fragments, reassembled, and dropped if there is no room."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64, mypyc_attr

from netsim.engine import Fifo, Meter
from netsim.errors import ScenarioError
from netsim.ethernet import Frame
from netsim.ethernet.frame import MAX_PAYLOAD
from netsim.machine import Device, Place, Work
from netsim.machine.backlog import Handler
from netsim.machine.task import Worker
from netsim.stack import ip
from netsim.stack.arrivals import Arrivals
from netsim.stack.ip import Reassembly
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.udp_costs import UdpCosts
from netsim.stack.udp_works import UdpWorks

if TYPE_CHECKING:
    from netsim.stack.computer import Computer
    from netsim.stack.computer_spec import ComputerSpec

HEADER: Final = 8  # bytes (RFC 768)
LARGEST: Final = ip.LARGEST - ip.HEADER - HEADER  # bytes of payload (RFC 768, RFC 791)


def check_size(address: str, size: int, origin: str = "") -> None:
    """Check that `size` bytes fit into a datagram. Raises ScenarioError, which names the `address`, and begins with the
    size's `origin`."""
    if size > LARGEST:
        text = f"{origin}{size} bytes don't fit into a datagram; allowed: 1 to {LARGEST}"
        raise ScenarioError(text, address=address)


class UdpFragment(Frame):
    """A frame with one fragment: `nbytes` of the `total` bytes of IP payload of datagram number `datagram`, from byte
    `offset` on. The sending socket counts it as `charge` bytes, and handed it down at `sent` (ps). With IPsec it is the
    `number`-th of its sender."""

    __slots__ = ("charge", "datagram", "nbytes", "number", "offset", "sent", "total")

    sent: int
    number: int

    def __init__(
        self, size: int, port: Any, owner: Any, nbytes: int, total: int, datagram: int, offset: int, charge: int = 0
    ) -> None:
        self.size = size
        self.port = port
        self.owner = owner
        self.nbytes = nbytes
        self.total = total
        self.datagram = datagram
        self.offset = offset
        self.charge = charge

    @property
    def packet(self) -> int:
        return ip.HEADER + self.nbytes

    def twin(self) -> UdpFragment:
        twin = UdpFragment(self.size, self.port, None, self.nbytes, self.total, self.datagram, self.offset)
        twin.sent = self.sent
        return twin


@mypyc_attr(allow_interpreted_subclasses=True)
class UdpSender(Worker):
    """A socket on which a process sends datagrams of one size.

    The process copies each fragment from its own memory and hands it to the driver. It sleeps when the socket's buffers
    hold `send_buffer` bytes or more, until they hold at most the UdpSpec.wake_up_share of that. It sends to the host's
    peer number `peer`.
    """

    def __init__(
        self, host: Computer, port: Any, message: int, mtu: int, send_buffer: int, peer: int = 0
    ) -> None:
        self.host = host
        self.device: Device = host.towards(peer)
        self.port = port
        self.message = message
        self._total = message + HEADER
        self.send_buffer = send_buffer
        self._wakes_at = int(send_buffer * host.spec.system.udp.wake_up_share)
        self.datagrams = 0  # handed to the driver whole
        system = host.spec.system
        counts_memory, headroom = system.socket.counts == "memory", ip.HEADER + system.udp.headroom
        self._fragments = host.spec.fragments(message + HEADER, mtu)
        self._charges = [  # of each fragment, as the socket counts it
            system.socket.memory(one.nbytes + headroom) if counts_memory else one.nbytes for one in self._fragments
        ]
        self._index = 0  # of the next fragment
        self._buffered = 0  # bytes, as the socket counts them
        self._entry = WITHIN  # how the process's next work begins
        self._works = UdpWorks(UdpCosts(host.spec, self.device.drivers[0].number))
        self._then: Callable[[], None] = lambda: None
        self._sending = False
        self._associations = host.associations if host.spec.ipsec is not None else None
        self._protected = 0  # packets
        self._whole = host.spec.protects_whole
        self._process = host.caller(self.begin, self.end)

    def send(self, then: Callable[[], None]) -> None:
        """Send one datagram, and call `then` when the system call returns."""
        self._then = then
        self._sending = True
        self._entry = CALLED
        self.host.wake(self._process)

    def begin(self) -> Work | None:
        if not self._sending:
            return None
        if self._buffered >= self.send_buffer:
            self._entry = self._entry.asleep
            return None
        entry, self._entry = self._entry, WITHIN
        return self._works.write(self._fragments[self._index], self._total, self.device.straight(), entry)

    def end(self) -> bool:
        nbytes, offset, size = self._fragments[self._index]
        charge = self._charges[self._index]
        frame = UdpFragment(size, self.port, self, nbytes, self._total, self.datagrams, offset, charge)
        self._buffered += charge
        frame.sent = self.host.calendar.now
        if self._associations is not None:
            self._protect(frame)
        self.device.put(frame)
        self._index += 1
        if self._index == len(self._fragments):
            self._index = 0
            self.datagrams += 1
            self._sending = False
            self._process.returns = True
            self._then()  # the process may send more
        return self._sending

    def _protect(self, frame: UdpFragment) -> None:
        """Number the protected packet of this frame, which may be a fragment of it. The host does the IPsec."""
        if self._index == 0 or not self._whole:
            self._protected += 1
            self.host.associations.packets[False] += 1
        frame.number = self._protected

    def freed(self, frame: UdpFragment) -> None:
        """The driver has released a frame."""
        self._buffered -= frame.charge
        if self._entry.slept and self._buffered <= self._wakes_at and self._buffered < self.send_buffer:
            self.host.wake(self._process)


@mypyc_attr(allow_interpreted_subclasses=True)
class UdpReceiver(Handler, Worker, Meter):
    """A socket on which a process receives. Deferred work reassembles datagrams (one copy into one buffer, if there was
    more than one fragment), verifies their checksums and queues them, and the process copies them out. If memory is
    counted, a datagram has to leave some of the buffer free (Linux 2.2: sock_queue_rcv_skb). `sender` sends the
    datagrams (None: a host like this one, or a tester).
    """

    def __init__(
        self, host: Computer, port: Any, receive_buffer: int, mtu: int = MAX_PAYLOAD, sender: ComputerSpec | None = None
    ) -> None:
        self.host = host
        self.receive_buffer = receive_buffer
        self.datagrams = self.received_bytes = 0  # read by the process
        system = host.spec.system
        self.reassembly = host.env.part(Reassembly)(host.fragments)
        self.drops = {"socket buffer": 0}
        self._mtu = mtu
        self._protected, self._whole = host.spec.ipsec is not None, (sender or host.spec).protects_whole
        self._counts_memory = system.socket.counts == "memory"
        self._room = receive_buffer - self._counts_memory
        self._queue: Fifo[tuple[int, Place, int]] = Fifo()  # bytes of payload, where they are, accounted bytes
        self._buffered = 0
        self.arrivals: Arrivals | None = None  # for a workload that asks
        self._entry = CALLED  # how the process's next work begins
        self._works = UdpWorks(UdpCosts(host.spec, peer=sender))
        self._then: Callable[[int], None] = lambda nbytes: None
        self._receiving = False
        self._process = host.caller(self.begin, self.end)
        host.handlers[port] = self

    # --- deferred work -----------------------------------------------------------------------------------------------

    def arriving(self, frame: UdpFragment) -> Work:
        if self.reassembly.completes(frame.datagram, frame.nbytes, frame.total):
            return self._works.completion(frame.nbytes, frame.total, frame.received_by)
        return self._works.fragment(frame.nbytes, frame.received_by)

    def put(self, frame: UdpFragment) -> None:
        """The work for `frame` is done: its datagram may be complete."""
        if self._protected and not self._whole:
            self.host.associations.packets[False] += 1
        now, nbytes = self.host.calendar.now, frame.nbytes
        if not self.reassembly.add(frame.datagram, nbytes, frame.total, now, self._held(frame)):
            return
        if self._whole:
            self.host.associations.packets[False] += 1
        memory = self._memory(frame)
        if self._buffered + memory > self._room:
            self.drop(frame)
            return
        self._buffered += memory
        place = self._works.place(frame.nbytes, frame.total, frame.received_by)
        self._queue.append((frame.total - HEADER, place, memory))
        if self.arrivals is not None:
            self.arrivals.note(self.datagrams + len(self._queue), frame.sent, frame, self.host.calendar.now)
        if self._receiving:
            self.host.wake(self._process)

    def _held(self, frame: UdpFragment) -> int:
        """The accounted bytes of a fragment while others are missing."""
        if not self._counts_memory or frame.nbytes == frame.total:
            return frame.nbytes
        return self._works.held(frame.size, frame.received_by, self._mtu)

    def _memory(self, frame: UdpFragment) -> int:
        """The accounted bytes of the datagram that `frame` completes."""
        if not self._counts_memory:
            return frame.total - HEADER
        return self._works.memory(frame.nbytes, frame.total, frame.received_by, self._mtu)

    def drop(self, frame: UdpFragment) -> None:
        """The datagram that `frame` completes finds no room in the socket's buffer."""
        self.drops["socket buffer"] += 1

    # --- the process -------------------------------------------------------------------------------------------------

    def receive(self, then: Callable[[int], None]) -> None:
        """Receive one datagram, and call `then` with its bytes when the system call returns."""
        self._then = then
        self._receiving = True
        self.host.wake(self._process)

    def begin(self) -> Work | None:
        """The work of copying the next datagram out; None: none is available, or none is wanted."""
        if not self._receiving:
            return None
        if not self._queue:
            self._entry = self._entry.asleep
            return None
        nbytes, place, _ = self._queue[0]
        entry, self._entry = self._entry, CALLED
        return self._works.read(nbytes, place, entry)

    def end(self) -> bool:
        """A datagram is copied; True if the process receives another."""
        nbytes, _, memory = self._queue.popleft()
        self._buffered -= memory
        self.datagrams += 1
        self.received_bytes += nbytes
        self._receiving = False
        self._process.returns = True
        self._then(nbytes)  # the process may receive more
        return self._receiving

    def reading(self) -> i64:
        """Bytes that the process has read."""
        return self.received_bytes

    @property
    def queued(self) -> int:
        """The number of received datagrams that the process has not read."""
        return len(self._queue)
