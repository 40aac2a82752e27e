"""How an adapter sends frames from its own memory, on any kind of wire."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.ethernet.frame import Frame
from netsim.ethernet.link import Link, LinkEnd


@mypyc_attr(allow_interpreted_subclasses=True)
class Access:
    """A station's access to its wire. It accepts one frame at a time, and reports when the frame is `certain` to get
    through: its `last_bit` is known then."""

    __slots__ = ("certain",)

    def __init__(self) -> None:
        self.certain: Callable[[Frame], None] | None = None

    @property
    def wire(self) -> Resource:
        """The name of the wire or segment that it sends on."""
        raise NotImplementedError

    def attach(self, station: LinkEnd) -> None:
        """Frames sent to this station arrive at `station`."""
        raise NotImplementedError

    def put(self, frame: Frame, done: Callable[[Frame, bool], None]) -> None:
        """Send `frame` as soon as the wire allows it, and call `done` when its last bit has left (True) or when it is
        given up (False). `frame.last_bit` is set before that, as soon as it is known."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class OwnCable(Access):
    """A full-duplex cable: send on `out`, receive from `into`. A frame waits only for the gap."""

    __slots__ = ("_calendar", "_done", "_into", "_out")

    def __init__(self, out: Link, into: Link) -> None:
        super().__init__()
        self._calendar = out.env.calendar
        self._out, self._into = out, into
        self._done: Callable[[Frame, bool], None] = _nothing

    @property
    def wire(self) -> Resource:
        return self._out.name

    def attach(self, station: LinkEnd) -> None:
        self._into.attach(station)

    def put(self, frame: Frame, done: Callable[[Frame, bool], None]) -> None:
        calendar = self._calendar
        self._done = done
        frame.last_bit = last_bit = self._out.put(frame, calendar.now)
        calendar.call_at(last_bit, self._sent, frame)
        if self.certain is not None:
            certain = self.certain
            certain(frame)

    def _sent(self, frame: Frame) -> None:
        done = self._done
        done(frame, True)


def _nothing(_: Frame, __: bool) -> None:
    """Nothing has been sent yet."""
