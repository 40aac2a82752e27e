"""An instrument at the end of a link, which sends frames and counts those that it receives (RFC 2544, section 6: the
tester)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.errors import SimulationError
from netsim.ethernet import Frame, Link
from netsim.ethernet.frame_sizes import frame_size
from netsim.stack import ip, udp
from netsim.stack.udp import UdpFragment

_IDENTIFICATIONS: Final = 1 << 16  # the datagrams that can be told apart (RFC 791, 3.1)


@mypyc_attr(allow_interpreted_subclasses=True)
class Tester:
    """A tester sends at the rate of its link, and is never too slow to receive."""

    def __init__(self, env: Environment, name: str) -> None:
        self.env = env
        self.name = name
        self.out: Link | None = None
        self.frames_arrived = 0
        self.sources: dict[Any, TesterSource] = {}
        self.sinks: dict[Any, TesterSink] = {}

    def plug(self, out: Link, into: Link) -> None:
        """Send on `out`, receive from `into`."""
        self.out = out
        into.attach(self)

    def receive_lead(self, size: int) -> int:
        """Zero (ps): it counts whole frames."""
        return 0

    def put(self, frame: Frame) -> None:
        """The last bit of `frame` arrives."""
        self.frames_arrived += 1
        sink = self.sinks.get(frame.port)
        if sink is None:
            raise SimulationError(f"{self.name}: nothing receives on port {frame.port!r}")
        assert isinstance(frame, UdpFragment)
        sink.put(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class TesterSource:
    """Sends datagrams with `message` bytes of payload for `port`, one frame each."""

    def __init__(self, tester: Tester, port: Any, message: int) -> None:
        self.datagrams = 0  # handed to the wire
        self._tester = tester
        self._calendar = tester.env.calendar
        self._port = port
        self._total = message + udp.HEADER
        self._size = frame_size(ip.HEADER + self._total)
        self._then: Callable[[], None] = lambda: None
        tester.sources[port] = self

    def send(self, then: Callable[[], None]) -> None:
        """Send a datagram, and call `then` when the next may follow it."""
        link, now = self._tester.out, self._calendar.now
        assert link is not None
        self._then = then
        frame = UdpFragment(self._size, self._port, None, self._total, self._total, self.datagrams, 0)
        frame.sent = now
        self.datagrams += 1
        self.put(frame, link)
        self._calendar.call_at(link.free, self._sent)

    def put(self, frame: UdpFragment, link: Link) -> None:
        """Hand a frame to the wire."""
        frame.last_bit = link.put(frame, self._calendar.now)

    def _sent(self, _: object) -> None:
        then = self._then
        then()


@mypyc_attr(allow_interpreted_subclasses=True)
class TesterSink:
    """Counts the datagrams for `port`, each once all of its fragments have arrived: a host that sends to a tester may
    have cut it. A tester has memory for all datagrams that can be told apart."""

    def __init__(self, tester: Tester, port: Any) -> None:
        self.datagrams = self.received_bytes = 0
        self._missing: dict[int, int] = {}  # bytes, by incomplete datagram, the one that has waited longest first
        tester.sinks[port] = self

    def put(self, frame: UdpFragment) -> None:
        """A datagram, or a fragment of one, has arrived."""
        missing = self._missing.pop(frame.datagram, frame.total) - frame.nbytes
        if missing:
            self._wait(frame.datagram, missing)
            return
        self.datagrams += 1
        self.received_bytes += frame.total - udp.HEADER

    def _wait(self, datagram: int, missing: int) -> None:
        """The datagram waits for the other fragments. If too many wait, the oldest has lost some."""
        self._missing[datagram] = missing
        if len(self._missing) > _IDENTIFICATIONS:
            del self._missing[next(iter(self._missing))]

    @property
    def incomplete(self) -> int:
        """The number of datagrams of which some fragments have arrived."""
        return len(self._missing)
